import type { Column } from '../../platform/postgres/row-text.ts'
import { Problem } from '../../schema/errors.ts'
import { demandNanos, freeNanos, type Hold, minNeedNanos, needNanos, type Waiter } from './hold.ts'
import { answerTimeoutMs, type Ledger, type Settlement } from './ledger.ts'
import { notifyCapRefused } from './notify-cap-refused.ts'
import { recallHeadroom } from './recall-headroom.ts'

/** A hold shall not have to grow more often, in milliseconds: a batch that grows costs Postgres three times as much. */
const headroomDurationMs = 60_000

/** Headroom that was used up sooner is asked for so many times over at most. */
const maxGrowthFactor = 8

/** Where money is short, Postgres is asked again after so long, and up to twice that, in milliseconds. */
const retryDelayMs = 20

/** That a key's cap is used up is told at most so often by a process, in milliseconds. */
const capNotificationIntervalMs = 10_000

/** No hold asks for more, so that no sum of asks is beyond what Postgres counts: a billion dollars. */
export const maxGrowthNanos = 10n ** 18n

/** What a growth answers for one hold: its amount now, the headroom that it may keep, what there was too little of. */
export interface Grant {
  /** Null for a hold without a row. */
  amount: string | null
  room_limit: string
  short_of: 'balance' | 'cap' | null
  /** What there would be at most if all that is held came back. */
  ceiling: string
}

/** Queues a growth of the hold unless one is queued; whoever still waits after it is served by the next. */
export function growSoon(ledger: Ledger, hold: Hold): void {
  if (hold.growing) return
  clearTimeout(hold.retry)
  hold.retry = undefined
  hold.growing = true
  ledger.commits.add({ kind: 'grow', hold }).then(
    () => {
      if (hold.waiters.length === 0 || hold.growing) return
      if (hold.restMs === 0) growSoon(ledger, hold)
      else hold.retry ??= setTimeout(() => growSoon(ledger, hold), hold.restMs).unref()
    },
    error => {
      ledger.context.log.error({ err: error, holdId: hold.id }, 'a hold could not grow')
      hold.growing = false
      refuseWaiting(ledger, hold)
    },
  )
}

/**
 * What a hold asks for: exactly what those who wait need, and headroom, which a rich balance grants: what the last one
 * would have had to be to last, up to what the last answer said that it may keep. One that was short asks for none.
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
  return [hold.accountId, hold.id, hold.keyId, ...amounts.map(amount => atMost(amount, maxGrowthNanos))]
}

/** Gives what came back to those who wait, first come first served. */
export function assignFreeAmount(ledger: Ledger, hold: Hold): void {
  if (hold.waiters.length === 0 || hold.isStale) return
  const least = hold.shortOf ? 1n : undefined
  filterWaiters(ledger, hold, waiter => !serve(hold, waiter, least))
}

/**
 * Gives what a growth brought to those who wait, first come first served. Where balance or cap are short, each looks
 * more closely at what it needs; then whoever cannot be served waits for what other requests in flight give back, or is
 * refused where that would not do either: `insufficient_credits`, `credit_limit_reached`.
 */
export function serveGrant(ledger: Ledger, hold: Hold, grant: Grant | undefined): void {
  const now = ledger.context.clock.monotonic()
  hold.answeredAt = now
  hold.amountNanos = BigInt(grant?.amount ?? 0)
  hold.rowNanos = hold.amountNanos
  hold.maxHeadroomNanos = BigInt(grant?.room_limit ?? 0)
  hold.restMs = 0
  // The key changed while Postgres was asked: the requests that wait ask again.
  if (hold.isStale) return
  // An account without a balance row is not in the answer: it has nothing.
  hold.shortOf = grant ? (grant.short_of ?? undefined) : 'balance'
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
    if (shortOf === 'cap' && waiter.minimumNanos > ceiling) notifyCapReached(ledger, hold)
    refuse(waiter, shortOf)
    return false
  })
  if (hold.waiters.length === 0) {
    // What was granted and helps nobody goes back at once.
    if (freeNanos(hold) > 0n) queueHoldUpdate(ledger, hold)
  } else if (!isMeasured) {
    hold.restMs = retryDelayMs * (1 + Math.random())
    recallHeadroom(ledger, hold.accountId)
  }
}

/** Tells that the key's cap is used up; not each time, as requests may be refused much more often. */
function notifyCapReached({ context }: Ledger, hold: Hold): void {
  const now = context.clock.monotonic()
  if (now - hold.capToldAt < capNotificationIntervalMs) return
  hold.capToldAt = now
  notifyCapRefused(context, hold)
}

/** Where accounts got money back by these settlements, holds that wait for it ask at once. */
export function retryShortHolds(ledger: Ledger, settlements: Iterable<Settlement>): void {
  if (ledger.shortHolds.size === 0) return
  const accounts = new Set<string>()
  for (const { record, reservation } of settlements) if (reservation) accounts.add(record.accountId)
  for (const hold of ledger.shortHolds) if (accounts.has(hold.accountId)) growSoon(ledger, hold)
}

/** Refuses all who wait: the ledger could not be asked. */
export function refuseWaiting(ledger: Ledger, hold: Hold): void {
  filterWaiters(ledger, hold, waiter => {
    waiter.refuse(new Problem('unavailable', { retryAfterSeconds: 1 }))
    return false
  })
}

/** Refuses the requests that wait too long, for Postgres or for money that other requests hold. */
export function rejectExpiredWaiters(ledger: Ledger, hold: Hold): void {
  const now = ledger.context.clock.monotonic()
  const { shortOf } = hold
  filterWaiters(ledger, hold, waiter => {
    if (now >= answerByOf(hold, waiter)) waiter.refuse(new Problem('unavailable', { retryAfterSeconds: 1 }))
    else if (shortOf && now > waiter.patientUntil) refuse(waiter, shortOf)
    else return true
    return false
  })
}

/** Refuses late requests at a moment of the monotonic clock, then whenever the next of them is late. */
export function refuseAt(ledger: Ledger, hold: Hold, at: number): void {
  if (at >= hold.lateCheckAt) return
  clearTimeout(hold.lateCheck)
  hold.lateCheckAt = at
  const check = () => {
    hold.lateCheckAt = Infinity
    rejectExpiredWaiters(ledger, hold)
    const next = Math.min(...hold.waiters.map(waiter => answerByOf(hold, waiter)))
    if (hold.waiters.length > 0) refuseAt(ledger, hold, next)
  }
  hold.lateCheck = setTimeout(check, Math.ceil(at - ledger.context.clock.monotonic())).unref()
}

/** Until when a request waits for Postgres: from its last answer, where it has answered that money is short. */
function answerByOf({ answeredAt }: Hold, { since, answerBy }: Waiter): number {
  return answeredAt > since ? answeredAt + answerTimeoutMs : answerBy
}

/** Keeps those who wait further on; a hold for which nobody waits is short of nothing. */
function filterWaiters(ledger: Ledger, hold: Hold, waitsOn: (waiter: Waiter) => boolean): void {
  hold.waiters = hold.waiters.filter(waitsOn)
  if (hold.waiters.length === 0) hold.shortOf = undefined
  if (hold.shortOf) ledger.shortHolds.add(hold)
  else ledger.shortHolds.delete(hold)
}

/** Looks at a waiter's amounts more closely, once. Answers whether it was done now. */
function measure(waiter: Waiter): boolean {
  if (!waiter.whenShort) return false
  const { amountNanos, minimumNanos } = waiter.whenShort()
  waiter.amountNanos = atMost(amountNanos, maxGrowthNanos)
  waiter.minimumNanos = minimumNanos
  waiter.whenShort = undefined
  return true
}

/** Serves a waiter whole, or with what is there where that is its minimum and no less than `least`. */
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

function refuse(waiter: Waiter, shortOf: 'balance' | 'cap'): void {
  const name = shortOf === 'cap' ? 'credit_limit_reached' : 'insufficient_credits'
  waiter.refuse(new Problem(name, { shouldRetry: false }))
}

function atMost(amountNanos: bigint, maxGrowthNanos: bigint): bigint {
  return amountNanos < maxGrowthNanos ? amountNanos : maxGrowthNanos
}

/** Queues a hold whose row is to say what this process has of it. Does not throw: the next flush says it again. */
export function queueHoldUpdate({ commits, context }: Pick<Ledger, 'commits' | 'context'>, hold: Hold): void {
  commits
    .add({ kind: 'show', hold })
    .catch(error => context.log.error({ err: error, holdId: hold.id }, 'a hold was not shown'))
}
