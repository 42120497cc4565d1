import type { GroupCommit } from '../../platform/group-commit.ts'
import type { Distribution } from '../../platform/metrics/distribution.ts'
import type { Family } from '../../platform/metrics/family.ts'
import type { Count, Metrics } from '../../platform/metrics/open-metrics.ts'
import type { DedicatedConnection } from '../../platform/postgres/dedicated-connection.ts'
import type { Context } from '../context.ts'
import type { HeldReservation, Hold } from './hold.ts'
import type { RequestRecord } from './request-record.ts'

/** The ledger of this process: its holds, and the queue that commits all its money statements. */
export interface Ledger {
  readonly context: Context
  readonly kind: string
  /** The ID of the process's row. It changes when the process is considered dead: its holds have lapsed then. */
  processId: string
  /** Whether Postgres has a row for `processId`. */
  isRegistered: boolean
  /** The number of the last flush that was sent. */
  flushNumber: bigint
  /** The holds by name (`holdName`). */
  readonly holds: Map<string, Hold>
  /** A dedicated connection, which runs money statements in the order of their submission. */
  readonly connection: DedicatedConnection
  readonly commits: GroupCommit<CommitItem, CommitResult>
  /** Accounts that other transactions had locked for too long. Flushes do not wait for them. */
  readonly contested: Set<string>
  /** Settlements without an outcome, in order of submission. */
  readonly settling: Set<Settlement>
  /** Background work that must end before the process does. */
  readonly unfinished: Set<Promise<void>>
  /** What adopted holds reserve for requests that have not stated their reservations, in nano-dollars. */
  readonly unclaimed: Map<Hold, bigint>
  /** The holds of each account whose requests wait for money that other requests hold. */
  readonly shortHolds: Map<string, Set<Hold>>
  /** The time of the monotonic clock after which holds must not be used, because they may have lapsed. */
  trustedUntil: number
  /** The heartbeat in progress, so that there is only one at a time. */
  beating: Promise<unknown> | undefined
  /** The post in progress, so that there is only one at a time. */
  posting: Promise<void> | undefined
  /** When headroom of each account was last recalled. Limits the number of messages when money is short. */
  readonly recalledAt: Map<string, number>
  /** The caps (by key) and budgets of which this heartbeat interval has reported that they are reached. */
  readonly reportedLimits: Set<string>
  readonly counts: LedgerCounts
  readonly timers: NodeJS.Timeout[]
  readonly subscriptions: (() => void)[]
}

/** Interval of heartbeats, in milliseconds. A recent flush replaces a heartbeat. */
export const heartbeatMs = 1_000

/** Time without a heartbeat after which a process stops using its holds, in milliseconds. */
export const trustMs = 6_000

/** Time without a heartbeat after which other processes let the holds lapse, in milliseconds. Well above `trustMs`. */
export const lapseAfterMs = 10_000

/** Time after which unused headroom is released, in milliseconds. */
export const idleHeadroomMs = 45_000

/**
 * The same for holds with budgets. It is shorter, because clients choose the tags of their requests, and so the number of
 * these holds.
 */
export const idleBudgetedMs = 10_000

/** Maximum wait of a request for Postgres, in milliseconds: once to reserve its money and once to settle it. */
export const answerTimeoutMs = 2_000

/** Maximum wait of a request for money that other requests in flight hold, in milliseconds. */
export const moneyPatienceMs = 5_000

/** Interval at which reserved amounts are written to the rows of holds, in milliseconds. */
export const holdUpdateIntervalMs = 250

/** Interval at which collected charges are posted, in milliseconds. Alerts are decided when charges are posted. */
export const postIntervalMs = 2_000

/**
 * An item of the commit queue: a request to settle, a hold to grow, a hold whose row must be updated, or a heartbeat
 * only.
 */
export type CommitItem = Settlement | HoldItem | { kind: 'beat' }

export interface HoldItem {
  kind: 'grow' | 'show'
  hold: Hold
}

/**
 * A request to settle. If its hold cannot cover the cost, the outcome is `lapsed`, or the cost is lowered if
 * `takesAvailable` is set.
 */
export interface Settlement {
  kind: 'settle'
  record: RequestRecord
  reservation: HeldReservation | undefined
  takesAvailable: boolean
  /** Whether the client has received part of the response. If so, it is charged no matter how long settling takes. */
  isDelivered: boolean
  /** Whether a flush with the charge was sent. Postgres may have committed it even if its result was lost. */
  mayBeCharged: boolean
  /** When the settlement was submitted, by the monotonic clock. */
  since: number
  /** Rejects the waiting call because settling takes too long. The settlement continues. */
  giveUp(): void
  isGivenUp: boolean
  /** Whether it was given up before any part of the response was sent. The client gets an error and pays nothing. */
  isUnanswered: boolean
}

/** The outcome of a settlement, or undefined for other items. */
export type CommitResult = SettledOutcome | undefined

/**
 * The outcome of a settlement. `lapsed`: its hold has lapsed, and nothing was charged or logged. `refused`: Postgres
 * rejects the row.
 */
export type SettledOutcome = 'settled' | 'lapsed' | 'refused'

/** The counters of the batches and charges of a ledger. */
export interface LedgerCounts {
  batchRows: Distribution
  batchSeconds: Distribution
  /** By how the batch continued after an error (`nextAfter`). */
  retries: Family<Count>
  lapsed: Count
  cappedDollars: Count
  refundedDollars: Count
}

/** Declares the metrics that the ledger counts. */
export function openLedgerCounts(metrics: Metrics): LedgerCounts {
  const only = (name: string, help: string) => metrics.counter({ name, help }).of()
  return {
    batchRows: metrics
      .histogram({
        name: 'rubicon_commit_batch_rows',
        help: 'Charges, growths and updates of holds in a batch of the commit queue.',
        buckets: { first: 1, factor: 2, count: 10 },
      })
      .of(),
    batchSeconds: metrics
      .histogram({
        name: 'rubicon_commit_batch_seconds',
        help: 'Time until a batch of the commit queue was committed, with its retries.',
        buckets: { first: 0.001, factor: 2, count: 12 },
      })
      .of(),
    retries: metrics
      .counter({
        name: 'rubicon_commit_retries_total',
        help: 'Errors of batches, by what followed: wait, skip locked, send rows, split, refuse.',
        labels: ['next'],
      })
      .begin(['wait', 'skip locked', 'send rows', 'split', 'refuse']),
    lapsed: only(
      'rubicon_lapsed_charges_total',
      'Charges whose hold had lapsed. They are paid from the remaining balance.',
    ),
    cappedDollars: only(
      'rubicon_capped_dollars_total',
      'US dollars that were not charged because the cost exceeded the reserved amount.',
    ),
    refundedDollars: only(
      'rubicon_refunded_dollars_total',
      'US dollars refunded because the client got an error instead of the answer.',
    ),
  }
}
