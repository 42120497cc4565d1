import type { GroupCommit } from '../../platform/group-commit.ts'
import type { DedicatedConnection } from '../../platform/postgres/dedicated-connection.ts'
import type { Context } from '../context.ts'
import type { Hold, Reservation } from './hold.ts'
import type { RequestRecord } from './request-record.ts'

/** This process's side of the ledger: its holds, and the queue by which all its money statements are committed. */
export interface Ledger {
  readonly context: Context
  readonly kind: string
  /** Under which Postgres knows the process. It gets another one after it was given up: its holds are gone then. */
  processId: string
  /** Postgres was told of `processId`. */
  isRegistered: boolean
  /** The number of the last flush that was sent. */
  flushNumber: bigint
  /** By key id. */
  readonly holds: Map<string, Hold>
  /** A connection of its own: money statements run in the order in which they are given. */
  readonly connection: DedicatedConnection
  readonly commits: GroupCommit<CommitItem, CommitResult>
  /** Accounts that others had locked for too long: flushes do not wait for them. */
  readonly contested: Set<string>
  /** Settlements without an outcome yet, in the order in which they were asked for. */
  readonly settling: Set<Settlement>
  /** Work in the background that must end before the process does. */
  readonly unfinished: Set<Promise<void>>
  /** Holds whose requests wait for money that others have in flight. */
  readonly shortHolds: Set<Hold>
  /** Holds must not be used after this moment, by the monotonic clock: they may have lapsed. */
  trustedUntil: number
  /** A heartbeat under way, so that there is one at a time. */
  beating: Promise<unknown> | undefined
  /** When headroom of an account was last called back, so that shortage does not flood the news. */
  readonly recalledAt: Map<string, number>
  readonly timers: NodeJS.Timeout[]
  readonly subscriptions: (() => void)[]
}

/** A heartbeat goes out this often, unless a flush has just told the same. */
export const heartbeatMs = 1_000

/** After so long without a heartbeat a process stops using its holds… */
export const trustMs = 6_000

/** …well before the others let them lapse. */
export const lapseAfterMs = 10_000

/** Headroom that is not used for so long is given back. */
export const idleHeadroomMs = 45_000

/** A request waits at most so long for Postgres, to reserve its money and once more to settle it. */
export const answerTimeoutMs = 2_000

/** A request waits at most so long for money that other requests in flight hold. */
export const moneyPatienceMs = 5_000

/** What a hold reserves is shown in the balance at most so much later. */
export const showAfterMs = 250

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
