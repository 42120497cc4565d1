import type { Hold, Reservation } from './hold.ts'
import type { RequestRecord } from './request-record.ts'

/**
 * What waits to be committed: a request to settle, a hold to grow, a hold whose row is to be brought up to date, or
 * nothing but the heartbeat that every flush is.
 */
export type CommitItem = Settlement | HoldItem | { kind: 'beat' }

export interface HoldItem {
  kind: 'grow' | 'show'
  hold: Hold
}

/** Where its hold has less than the cost, it takes what is there if it may, and is `lapsed` if not. */
export interface Settlement {
  kind: 'settle'
  record: RequestRecord
  reservation: Reservation | undefined
  takesWhatIsThere: boolean
  /** The client has a part of the answer: it is charged however long settling takes. */
  isDelivered: boolean
  /** A flush that charges it is on its way, or was lost on its way: Postgres may have committed it. */
  mayBeCharged: boolean
  /** When it was asked for, by the monotonic clock. */
  since: number
  /** Its reservation and its cost were taken out of the hold in memory: done once, however often it is sent. */
  isTaken: boolean
  /** Tells who waits that it takes too long; it is settled all the same. */
  giveUp(): void
  isGivenUp: boolean
  /** Given up before anything of its answer had left: its client is refused, and pays nothing. */
  isUnanswered: boolean
}

/** What became of a settlement; nothing for the others. */
export type CommitResult = SettledOutcome | undefined

/**
 * `lapsed`: the hold behind it was given back by others, so nothing was charged and nothing was logged yet. `refused`:
 * Postgres cannot take the row.
 */
export type SettledOutcome = 'settled' | 'lapsed' | 'refused'
