import { systemClock } from '../../platform/clock.ts'
import { openCallLog } from '../server/calls.ts'
import type { ServerSettings, ServerState } from '../server/exchange.ts'

/** What a test or an operator may change while the simulator runs. */
export interface Settings extends ServerSettings {
  /** How the next mails are answered: taken, refused for now (451), or refused for good (550). */
  answer: string
  /** Milliseconds between keeping a mail and saying so. */
  answerMs: number
}

/** One mail that was received, parsed. */
export interface CaughtMail {
  /** Counts the mails of this simulator, from 1. */
  readonly id: number
  /** When it came, in milliseconds since 1970. */
  readonly at: number
  /** To whom it was sent, as the sending server said; nobody else gets it. */
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

/** The state of one simulator. */
export interface Mailbox extends ServerState {
  readonly settings: Settings
  /** The latest, the oldest first. */
  readonly mails: CaughtMail[]
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

/** Keeps a mail, and forgets the oldest where there are more than 1,000. */
export function keepMail(mailbox: Mailbox, mail: Omit<CaughtMail, 'id' | 'at'>): void {
  mailbox.received += 1
  mailbox.mails.push({ id: mailbox.received, at: mailbox.clock.now(), ...mail })
  if (mailbox.mails.length > maxMails) mailbox.mails.shift()
}
