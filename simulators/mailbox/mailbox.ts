import type { ServerState } from '../server/exchange.ts'

/** The settings that can be changed while the simulator runs. */
export interface Settings {
  readonly record: boolean
  /** The response to mails: 250, 451 or 550. */
  answer: 'take' | 'later' | 'refuse'
  /** Delay between storing a mail and the response, in milliseconds. */
  answerMs: number
}

export interface ReceivedMail {
  /** The number of the mail, starting at 1. */
  readonly id: number
  /** When it arrived, in Unix milliseconds. */
  readonly at: number
  /** The recipients of the SMTP envelope. */
  readonly recipients: readonly string[]
  readonly sender: string
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: readonly { readonly key: string; readonly value: string }[]
}

export interface Mailbox extends ServerState {
  readonly settings: Settings
  /** The latest 1,000 mails, oldest first. */
  readonly mails: ReceivedMail[]
}
