import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PostgresLine } from '../../platform/postgres/open-line.ts'
import type { Hold, Reservation } from './hold.ts'
import type { RequestRecord } from './request-record.ts'

/** What travels on the lane: a request to settle, a hold to grow, or a hold whose row is to be brought up to date. */
export type LaneItem = Settlement | { kind: 'grow'; hold: Hold } | { kind: 'show'; hold: Hold }

/** Where its hold has less than the cost, it takes what is there if it may, and is `lapsed` if not. */
export interface Settlement {
  kind: 'settle'
  record: RequestRecord
  reservation: Reservation | undefined
  takesWhatIsThere?: boolean
}

/** What became of a settlement; nothing for the others. */
export type LaneResult = SettledOutcome | undefined

/** What a flush of the lane needs. */
export interface Lane {
  line: PostgresLine
  log: Log
  clock: Clock
  processId: string
  /** Queues a hold whose room is to be given back. */
  giveBack(hold: Hold): void
}

/** `lapsed`: the hold behind it was given back by others, so nothing was charged and nothing was logged yet. */
export type SettledOutcome = 'settled' | 'lapsed' | 'refused'
