import type { Column } from '../../platform/postgres/row-text.ts'
import { Problem } from '../../schema/errors.ts'
import {
  type Budget,
  budgetIdsOf,
  demandNanos,
  freeNanos,
  type Hold,
  minNeedNanos,
  needNanos,
  type ShortOf,
  type Waiter,
} from './hold.ts'
import { answerTimeoutMs, type Ledger, type Settlement } from './ledger.ts'
import { limitReached, notifyRefused } from './reached-limits.ts'
import { queueHoldUpdate, recallHeadroom } from './recall-headroom.ts'

/**
 * How long the headroom of a hold should last, in milliseconds. A batch with a growth costs Postgres three times as
 * much as one without.
 */
const headroomDurationMs = 60_000

/** Maximum factor by which headroom grows at once. */
const maxGrowthFactor = 8

/**
 * Minimum delay before a growth is retried if the balance is too low, in milliseconds; jittered up to twice this
 * value.
 */
const minRetryDelayMs = 20

/**
 * Number of short holds of an account up to which each is retried without a further delay. All accounts share the
 * ledger's connection, and an account can have a hold for each combination of its keys and budgets.
 */
const maxHoldsRetriedAtOnce = 16

/** Maximum amount of one growth: a billion dollars. Keeps sums of growths within Postgres's bigint. */
export const maxGrowthNanos = 10n ** 18n

/** The result of a growth for one hold: its amount, its allowed headroom, and which limit was too low. */
export interface Grant {
  /** The amount of the hold; null if it has no row. */
  amount: string | null
  room_limit: string
  /** `balance`, `cap`, or the ID of a budget. */
  short_of: string | null
  /** The amount that would be available if all holds were released. */
  ceiling: string
}

/**
 * Queues a growth of the hold unless one is queued. The next growth serves requests that are still waiting after it.
 */
export function queueGrowth(ledger: Ledger, hold: Hold): void {
  if (hold.growing) return
  clearTimeout(hold.retry)
  hold.retry = undefined
  hold.growing = true
  ledger.commits.add({ kind: 'grow', hold }).then(
    () => {
      if (hold.waiters.length === 0 || hold.growing) return
      if (hold.retryDelayMs === 0) queueGrowth(ledger, hold)
      else hold.retry ??= setTimeout(() => queueGrowth(ledger, hold), hold.retryDelayMs).unref()
    },
    error => {
      ledger.context.log.error({ err: error, holdId: hold.id }, 'growing a hold failed')
      hold.growing = false
      rejectWaiters(ledger, hold)
    },
  )
}

/**
 * Returns the growth to request: the exact need of the waiting requests, plus headroom, which Postgres grants if the
 * balance is large. The headroom is the amount that would have lasted for `headroomDurationMs`, at most the allowed
 * headroom. A hold whose last growth was short requests no headroom.
 */
export function growthRequest(ledger: Ledger, hold: Hold): Column[] {
  const now = ledger.context.clock.monotonic()
  const demand = demandNanos(hold)
  const times = Math.ceil(headroomDurationMs / (now - hold.lastGrowthAt))
  const wanted = hold.lastAheadNanos * BigInt(Math.min(Math.max(times, 1), maxGrowthFactor))
  const ahead = atMost(wanted, hold.maxHeadroomNanos)
  hold.lastAheadNanos = hold.shortOf ? 0n : ahead > demand ? ahead : demand
  hold.lastGrowthAt = now
  const amounts = [needNanos(hold), hold.lastAheadNanos, demand, minNeedNanos(hold)]
  return [
    ...[hold.accountId, hold.id, hold.keyId],
    ...amounts.map(amount => atMost(amount, maxGrowthNanos)),
    budgetIdsOf(hold.budgets),
  ]
}

/** Assigns the hold's free amount to waiting requests in order of arrival. */
export function assignFreeAmount(ledger: Ledger, hold: Hold): void {
  if (hold.waiters.length === 0 || hold.isStale) return
  const least = hold.shortOf ? 1n : undefined
  filterWaiters(ledger, hold, waiter => !serve(hold, waiter, least))
}

/**
 * Assigns the granted amount to waiting requests in order of arrival. If balance, cap or a budget are too low, each
 * request first measures its need. Then a request that cannot be served waits for money that other requests release. If
 * that would not suffice either, it fails with `insufficient_credits`, `credit_limit_reached` or `budget_limit_reached`.
 */
export function serveGrant(ledger: Ledger, hold: Hold, grant: Grant | undefined): void {
  const now = ledger.context.clock.monotonic()
  hold.grantedAt = now
  hold.amountNanos = BigInt(grant?.amount ?? 0)
  hold.rowNanos = hold.amountNanos
  hold.maxHeadroomNanos = BigInt(grant?.room_limit ?? 0)
  hold.retryDelayMs = 0
  // The key changed during the growth: the waiting requests are served by the next one.
  if (hold.isStale) return
  // An account without a balance row is not in the result: it has no money.
  hold.shortOf = shortOfGrant(hold, grant)
  const { shortOf } = hold
  if (!shortOf) {
    assignFreeAmount(ledger, hold)
    return
  }
  hold.lastAheadNanos = 0n
  const isMeasured = hold.waiters.filter(measure).length > 0
  const ceiling = BigInt(grant?.ceiling ?? 0)
  const mayWait = (waiter: Waiter) =>
    isMeasured || (waiter.minimumNanos <= ceiling && now < waiter.patientUntil)
  filterWaiters(ledger, hold, waiter => {
    if (serve(hold, waiter, 0n)) return false
    if (mayWait(waiter)) return true
    if (shortOf !== 'balance' && waiter.minimumNanos > ceiling) notifyReached(ledger, hold, shortOf)
    waiter.refuse(limitReached(shortOf))
    return false
  })
  if (hold.waiters.length === 0) {
    // A grant that serves no request is released at once.
    if (freeNanos(hold) > 0n) queueHoldUpdate(ledger, hold)
  } else if (!isMeasured) {
    const shortCount = ledger.shortHolds.get(hold.accountId)?.size ?? 0
    const busyFactor = Math.max(1, shortCount / maxHoldsRetriedAtOnce)
    hold.retryDelayMs = minRetryDelayMs * (1 + Math.random()) * busyFactor
    recallHeadroom(ledger, hold.accountId)
  }
}

/** Returns the limit that was too low for a growth. */
function shortOfGrant({ budgets }: Hold, grant: Grant | undefined): ShortOf | undefined {
  const shortOf = grant ? grant.short_of : 'balance'
  if (shortOf === null || shortOf === 'balance' || shortOf === 'cap') return shortOf ?? undefined
  return budgets?.find(({ id }) => id === shortOf)
}

/** Reports that a cap or budget is reached, at most once per heartbeat interval. */
function notifyReached({ context, reportedLimits }: Ledger, hold: Hold, limit: 'cap' | Budget): void {
  const name = limit === 'cap' ? hold.keyId : limit.id
  if (reportedLimits.has(name)) return
  reportedLimits.add(name)
  notifyRefused(context, { accountId: hold.accountId, keyId: hold.keyId, limit })
}

/**
 * Retries the growth of short holds of accounts to which these settlements released money: the
 * `maxHoldsRetriedAtOnce` that have been short for the longest time. The others follow after their delay.
 */
export function retryShortHolds(ledger: Ledger, settlements: Iterable<Settlement>): void {
  if (ledger.shortHolds.size === 0) return
  const accounts = new Set<string>()
  for (const { record, reservation } of settlements) if (reservation) accounts.add(record.accountId)
  for (const accountId of accounts) {
    const holds = [...(ledger.shortHolds.get(accountId) ?? [])]
    for (const hold of holds.slice(0, maxHoldsRetriedAtOnce)) queueGrowth(ledger, hold)
  }
}

/** Rejects all waiting requests because Postgres did not respond. */
export function rejectWaiters(ledger: Ledger, hold: Hold): void {
  filterWaiters(ledger, hold, waiter => {
    waiter.refuse(new Problem('unavailable', { retryAfterSeconds: 1 }))
    return false
  })
}

/** Rejects requests that have waited too long for Postgres or for other requests to release money. */
export function rejectExpiredWaiters(ledger: Ledger, hold: Hold): void {
  const now = ledger.context.clock.monotonic()
  const { shortOf } = hold
  filterWaiters(ledger, hold, waiter => {
    if (now >= responseDeadline(hold, waiter))
      waiter.refuse(new Problem('unavailable', { retryAfterSeconds: 1 }))
    else if (shortOf && now > waiter.patientUntil) waiter.refuse(limitReached(shortOf))
    else return true
    return false
  })
}

/** Rejects expired requests at a time of the monotonic clock, and then whenever the next one expires. */
export function scheduleExpiry(ledger: Ledger, hold: Hold, at: number): void {
  if (at >= hold.lateCheckAt) return
  clearTimeout(hold.lateCheck)
  hold.lateCheckAt = at
  const check = () => {
    hold.lateCheckAt = Infinity
    rejectExpiredWaiters(ledger, hold)
    const next = Math.min(...hold.waiters.map(waiter => responseDeadline(hold, waiter)))
    if (hold.waiters.length > 0) scheduleExpiry(ledger, hold, next)
  }
  hold.lateCheck = setTimeout(check, Math.ceil(at - ledger.context.clock.monotonic())).unref()
}

/** Returns the time until which a request waits for Postgres. If a growth was short, the timeout restarts. */
function responseDeadline({ grantedAt }: Hold, { since, answerBy }: Waiter): number {
  return grantedAt > since ? grantedAt + answerTimeoutMs : answerBy
}

/** Keeps the waiting requests that pass `filter`. If none is left, the hold no longer counts as short. */
function filterWaiters(ledger: Ledger, hold: Hold, filter: (waiter: Waiter) => boolean): void {
  hold.waiters = hold.waiters.filter(filter)
  if (hold.waiters.length === 0) hold.shortOf = undefined
  markShort(ledger, hold, hold.shortOf !== undefined)
}

function markShort({ shortHolds }: Ledger, hold: Hold, isShort: boolean): void {
  const { accountId } = hold
  const holds = shortHolds.get(accountId) ?? new Set()
  if (isShort) shortHolds.set(accountId, holds.add(hold))
  else if (holds.delete(hold) && holds.size === 0) shortHolds.delete(accountId)
}

/** Measures the need of a waiting request, at most once. Returns whether it was measured by this call. */
function measure(waiter: Waiter): boolean {
  if (!waiter.whenShort) return false
  const { amountNanos, minimumNanos } = waiter.whenShort()
  waiter.amountNanos = atMost(amountNanos, maxGrowthNanos)
  waiter.minimumNanos = minimumNanos
  waiter.whenShort = undefined
  return true
}

/**
 * Serves a waiting request fully, or partially if its minimum and `least` are covered. Returns whether it was served.
 */
function serve(hold: Hold, waiter: Waiter, least: bigint | undefined): boolean {
  const free = freeNanos(hold)
  const amountNanos = atMost(waiter.amountNanos, free)
  const isWhole = amountNanos === waiter.amountNanos
  if (!isWhole && (least === undefined || amountNanos < waiter.minimumNanos || amountNanos < least))
    return false
  hold.reservedNanos += amountNanos
  waiter.grant(amountNanos)
  return true
}

function atMost(amountNanos: bigint, maxNanos: bigint): bigint {
  return amountNanos < maxNanos ? amountNanos : maxNanos
}
