import { systemClock } from '../../platform/clock.ts'
import { openCallLog } from '../server/calls.ts'
import type { ServerSettings, ServerState } from '../server/exchange.ts'

/** The settings that can be changed while the simulator runs. */
export interface Settings extends ServerSettings {
  /** The response to mails: `take` (250), `later` (451) or `refuse` (550). */
  answer: string
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
  /** The number of mails so far. */
  received: number
}

const maxMails = 1_000

export function createMailbox(): Mailbox {
  return {
    clock: systemClock,
    settings: { latencyMs: 0, chunkDelayMs: 0, record: false, answer: 'take', answerMs: 0 },
    calls: openCallLog(),
    failures: new Map(),
    requestCount: 0,
    mails: [],
    received: 0,
  }
}

/** Stores a mail. Deletes the oldest mail above 1,000. */
export function storeMail(mailbox: Mailbox, mail: Omit<ReceivedMail, 'id' | 'at'>): void {
  mailbox.received += 1
  mailbox.mails.push({ id: mailbox.received, at: mailbox.clock.now(), ...mail })
  if (mailbox.mails.length > maxMails) mailbox.mails.shift()
}
