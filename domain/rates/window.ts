import { dayMs } from '../../platform/clock.ts'
/** The amounts of one inference request for the rate limits of its key. */
export interface RateRequest {
  accountId: string
  keyId: string
  limits: RateLimits
  /** The amount in request windows: 0 if it is already counted there. */
  requests: 0 | 1
  /** The amount in token windows. */
  tokens: number
}

/** Whether a request is within its limits. */
export interface RateResult {
  /** The key's revision in Redis: undefined if Redis has none, null if Redis is unavailable. */
  revision: bigint | undefined | null
  /** The window that is full; undefined if the request was counted. */
  refusedBy: WindowName | undefined
  /** Milliseconds until the refused request would fit; 0 if it was counted. */
  waitMs: number
  /**
   * When the request was counted, in milliseconds since 1970, by the clock of Redis, or of this process while Redis is
   * unavailable.
   */
  countedAt: number
  /** The remaining amount of each window; null if it is unlimited. */
  left: Record<WindowName, number | null>
  /** For a request that this process decided: the late result of Redis, or undefined if Redis counted nothing. */
  late?: Promise<RateResult | undefined>
}

/**
 * Number of buckets of a sliding window. One more is counted, because the newest is not over and the oldest is only
 * partly past. So no span of the window's length ever contains more than the limit, and a refusal lasts at most one
 * bucket longer than necessary.
 */
export const bucketsPerWindow = 20
export const bucketCount = bucketsPerWindow + 1

/** The windows of a request, in the order in which they are checked: four of its key, one of its account. */
export const windowNames = ['burst', 'rpm', 'tph', 'tpd', 'account'] as const
export type WindowName = (typeof windowNames)[number]

/** The limits of a request: requests in burst, rpm and account, tokens in tph and tpd. Null is unlimited. */
export interface RateLimits {
  burst: number
  burstWindowMs: number
  rpm: number | null
  tph: number | null
  tpd: number | null
  /** Maximum number of new requests of all keys of the account in `accountWindowMs`. */
  account: number | null
}

/** Whether two requests have the same limits. */
export function areSameLimits(one: RateLimits, other: RateLimits): boolean {
  const { burst, burstWindowMs, rpm, tph, tpd, account } = other
  if (one.burst !== burst || one.burstWindowMs !== burstWindowMs || one.account !== account) return false
  return one.rpm === rpm && one.tph === tph && one.tpd === tpd
}

/** Length of the window that all keys of an account share, in milliseconds. */
export const accountWindowMs = 10_000

/**
 * Maximum count of a window: far above any limit, and far below the integers that a double cannot represent exactly.
 * The script and this process count in doubles.
 */
export const maxCount = 1e12

/**
 * The limit and length of one window, and the amount of a request in it. A window in which the amount is zero does not
 * refuse the request.
 */
export interface WindowCheck {
  limit: number | null
  lengthMs: number
  amount: number
}

/** Returns the windows that a request checks, in the order of `windowNames`. */
export function windowChecks({
  limits,
  requests,
  tokens,
}: Pick<RateRequest, 'limits' | 'tokens'> & { requests: number }): WindowCheck[] {
  const amount = Math.min(tokens, maxCount)
  return [
    { limit: limits.burst, lengthMs: limits.burstWindowMs, amount: requests },
    { limit: limits.rpm, lengthMs: 60_000, amount: requests },
    { limit: limits.tph, lengthMs: 3_600_000, amount },
    { limit: limits.tpd, lengthMs: dayMs, amount },
    { limit: limits.account, lengthMs: accountWindowMs, amount: requests },
  ]
}

/** The counts of one window. */
export interface Window {
  /** The number of the newest bucket: milliseconds since 1970, divided by the length of a bucket. */
  index: number
  /** The counts, oldest first. */
  counts: number[]
}

/** Returns the number of the bucket that contains a time in milliseconds since 1970. */
export function bucketOf(lengthMs: number, moment: number): number {
  return Math.floor((moment * bucketsPerWindow) / lengthMs)
}

/** Moves the window forward to `now`. A clock that was set back a little does not move it back. */
export function slide(window: Window | undefined, lengthMs: number, now: number): Window {
  const index = bucketOf(lengthMs, now)
  const shift = window ? index - window.index : bucketCount
  if (!window || shift <= -bucketCount || shift >= bucketCount)
    return { index, counts: Array<number>(bucketCount).fill(0) }
  if (shift <= 0) return { index: window.index, counts: [...window.counts] }
  return { index, counts: [...window.counts.slice(shift), ...Array<number>(shift).fill(0)] }
}

/** Returns the sum of all counts of the window. */
export function sumOf(window: Window): number {
  return window.counts.reduce((sum, count) => sum + count, 0)
}

/** Returns the milliseconds until the amount fits, if nothing else is counted. */
export function waitMs(window: Window, { limit, lengthMs, amount }: WindowCheck, now: number): number {
  const bucketMs = lengthMs / bucketsPerWindow
  let sum = sumOf(window)
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    sum -= window.counts[bucket]!
    if (sum + amount <= limit!) return Math.ceil((window.index + bucket + 1) * bucketMs - now)
  }
  return lengthMs
}

/** Returns the figures under the names of their windows. */
export function byWindow(figures: (number | null)[]): Record<WindowName, number | null> {
  const [burst = null, rpm = null, tph = null, tpd = null, account = null] = figures
  return { burst, rpm, tph, tpd, account }
}
