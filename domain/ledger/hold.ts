/**
 * The hold of a key in this process, for requests that count in the same budgets: its row in `holds`, and the amounts
 * that requests in flight have reserved. `amountNanos` is the amount in the row, or in the row after the statement in
 * flight commits.
 */
export interface Hold {
  /** The hold's ID. It changes when the hold lapses, so that the old row is never used for the new hold. */
  id: string
  readonly accountId: string
  readonly keyId: string
  /** The budgets that count its requests, by ID; undefined if there are none. */
  readonly budgets: HoldBudgets
  /** The latest revision of the key that a request of this process has seen. */
  revision: bigint
  /** Whether the free amount was granted under an earlier revision. It serves no request and is released. */
  isStale: boolean
  amountNanos: bigint
  /** The amount in the row, as far as this process knows. */
  rowNanos: bigint
  reservedNanos: bigint
  /** The reserved amount that was last written to the row. */
  shownNanos: bigint
  /** The headroom that balance and cap allow. Each growth updates it. */
  maxHeadroomNanos: bigint
  /**
   * The headroom that the last growth requested, or zero if it was short; and its time. A hold that grows often grows in larger
   * steps.
   */
  lastAheadNanos: bigint
  lastGrowthAt: number
  /** When the last growth returned. */
  grantedAt: number
  /** The limit that was too low for the last growth, while requests wait for money that other requests hold. */
  shortOf: ShortOf | undefined
  /** Delay before a growth that was short is retried, in milliseconds. Zero if requests were measured. */
  retryDelayMs: number
  retry: NodeJS.Timeout | undefined
  /** The timer that rejects requests for which Postgres does not respond in time, and its time. */
  lateCheck: NodeJS.Timeout | undefined
  lateCheckAt: number
  /** Requests that wait for a growth, in order of arrival. */
  waiters: Waiter[]
  /** Whether a growth is queued. */
  growing: boolean
  usedAt: number
  /** The model of the unposted usage in its row; undefined if there may be none. */
  unpostedModel: string | undefined
  /** When the row last collected usage, by the monotonic clock. */
  collectedAt: number
}

/** The requests of an account that a budget counts: all of them, or the requests of a member, API key, tag or end user. */
export interface BudgetSubject {
  kind: 'account' | 'member' | 'api_key' | 'tag' | 'end_user'
  /** The key of the tag; empty for others. */
  key: string
  /** The ID of the member or API key, the value of the tag, or the end user; empty for the account. */
  value: string
}

/** A budget as requests use it. Only Postgres knows its limit and what is left of it. */
export interface Budget extends BudgetSubject {
  id: string
}

export type HoldBudgets = readonly Budget[] | undefined

/** A limit that was too low for a growth. */
export type ShortOf = 'balance' | 'cap' | Budget

/** The owner of a hold: a key, for its requests that count in these budgets. */
export interface HoldOwner {
  accountId: string
  keyId: string
  budgets?: HoldBudgets
}

/** Returns the name of a hold within its process. */
export function holdName({ keyId, budgets }: Pick<HoldOwner, 'keyId' | 'budgets'>): string {
  return budgets ? `${keyId} ${budgets.map(({ id }) => id).join(' ')}` : keyId
}

/** Returns the IDs of a hold's budgets as the text of an array; null if there are none. */
export function budgetIdsOf(budgets: HoldBudgets): string | null {
  return budgets ? `{${budgets.map(({ id }) => id).join(',')}}` : null
}

/** The amounts that a request needs from a hold. */
export interface Amounts {
  /** The maximum cost of the request. */
  amountNanos: bigint
  /**
   * The minimum to start with if balance or cap cannot cover the maximum. If both are equal, the amount is reserved
   * fully or not at all.
   */
  minimumNanos: bigint
}

export interface Waiter extends Amounts {
  /**
   * Whether any amount helps: the hold lapsed, and the growth backs requests in flight as far as money is available.
   */
  backsTheHold: boolean
  /** Measures the amounts more precisely. Called once, if too little is available. */
  whenShort: (() => Amounts) | undefined
  /** When the wait started. This and the next two are times of the monotonic clock. */
  since: number
  /** The time until which it waits for the first response of Postgres. */
  answerBy: number
  /** The time until which it waits for money that other requests hold. */
  patientUntil: number
  grant(amountNanos: bigint): void
  refuse(error: Error): void
}

/** Money reserved for one request in flight. It must be settled exactly once. */
export interface Reservation {
  amountNanos: bigint
  /** The revision of the key under which the money was granted. */
  revision: bigint
  /** The renewal in progress, after a change of the key. */
  renewing?: Promise<void>
}

/** A reservation with the hold from which it was made. */
export interface HeldReservation extends Reservation {
  hold: Hold
}

/** Returns the amount that is not reserved. It is negative if the row lapsed while requests were in flight. */
export function freeNanos(hold: Hold): bigint {
  return hold.amountNanos - hold.reservedNanos
}

/**
 * Updates a hold to the revision that a request has seen. Limits may have been lowered since the free amount was
 * granted, so it must be granted again.
 */
export function followRevision(hold: Hold, revision: bigint | undefined): void {
  if (revision === undefined || revision <= hold.revision) return
  hold.revision = revision
  hold.isStale = true
}

/** Removes the free amount of a stale hold. The assembled batch updates its row. */
export function dropStale(hold: Hold): void {
  if (!hold.isStale) return
  hold.isStale = false
  hold.maxHeadroomNanos = 0n
  const free = freeNanos(hold)
  if (free > 0n) hold.amountNanos -= free
}

/** Whether balance, cap or a budget was too low for the last growth. */
export function wasShort({ lastAheadNanos, grantedAt }: Hold): boolean {
  return lastAheadNanos === 0n && grantedAt > -Infinity
}

/** Returns the amount that the waiting requests need in addition to the free amount. */
export function needNanos(hold: Hold): bigint {
  return waitingNanos(hold) - freeNanos(hold)
}

/** Returns the minimum that, in addition to the free amount, serves a waiting request. */
export function minNeedNanos(hold: Hold): bigint {
  let least: bigint | undefined
  for (const { minimumNanos, backsTheHold } of hold.waiters) {
    if (backsTheHold) return 0n
    if (least === undefined || minimumNanos < least) least = minimumNanos
  }
  const need = (least ?? 0n) - freeNanos(hold)
  return need > 0n ? need : 0n
}

/** Returns the sum of reserved and awaited amounts. */
export function demandNanos(hold: Hold): bigint {
  return hold.reservedNanos + waitingNanos(hold)
}

/**
 * Returns the headroom to keep when money is released: up to the allowed headroom if that covers the recent need, and
 * nothing near the limit (docs/behaviour.md, Money).
 */
export function headroomToKeepNanos(hold: Hold, recentNeedNanos: bigint): bigint {
  const free = freeNanos(hold)
  if (free <= 0n || hold.maxHeadroomNanos < recentNeedNanos) return 0n
  return free < hold.maxHeadroomNanos ? free : hold.maxHeadroomNanos
}

function waitingNanos(hold: Hold): bigint {
  let sum = 0n
  for (const waiter of hold.waiters) sum += waiter.amountNanos
  return sum
}
