/** What is asked of the rates for one request. */
export interface RateRequest {
  accountId: string
  keyId: string
  limits: RateLimits
  /** What it takes of the windows of requests: 0 where it was counted there already. */
  requests: 0 | 1
  /** Tokens that the request takes of the token windows at once. */
  tokens: number
}

/** What they answer. */
export interface RateResult {
  /** The key's revision as Redis knows it: undefined when it does not, null when Redis is away. */
  revision: bigint | undefined | null
  refusedBy: WindowName | undefined
  waitMs: number
  /** When it was counted, in milliseconds since 1970 by the clock of who counted: Redis, or this process without it. */
  takenAt: number
  /** What is left of each window, null where it is unlimited. */
  left: Record<WindowName, number | null>
}

/**
 * A sliding window, as the Redis script keeps it: its length is twenty buckets, and twenty-one are counted, since
 * the newest is never over and the oldest never wholly gone. So never more than the limit passes in any span of
 * that length, and a refusal lasts one bucket longer at most.
 */
export const bucketsPerWindow = 20
export const bucketCount = bucketsPerWindow + 1

/** The windows of a key, in the order in which they are checked and stored. */
export const windowNames = ['burst', 'rpm', 'tph', 'tpd'] as const
export type WindowName = (typeof windowNames)[number]

/** What a key may do in each window; null is unlimited. Requests in the first two, tokens in the last two. */
export interface RateLimits {
  burst: number
  burstWindowMs: number
  rpm: number | null
  tph: number | null
  tpd: number | null
}

/**
 * The most that a window counts, far beyond any limit and far below where doubles, which the script and this process
 * both count in, lose single units.
 */
export const mostCounted = 1e12

/** Limit and length of one window, and what one request takes of it. What takes nothing of it is not refused by it. */
export interface Ask {
  limit: number | null
  lengthMs: number
  amount: number
}

/** The four windows of a request that takes so many requests and tokens of them. */
export function asksOf({ limits, requests, tokens }: Taking): Ask[] {
  const amount = Math.min(tokens, mostCounted)
  return [
    { limit: limits.burst, lengthMs: limits.burstWindowMs, amount: requests },
    { limit: limits.rpm, lengthMs: 60_000, amount: requests },
    { limit: limits.tph, lengthMs: 3_600_000, amount },
    { limit: limits.tpd, lengthMs: 86_400_000, amount },
  ]
}

interface Taking {
  limits: RateLimits
  requests: number
  tokens: number
}

export interface Window {
  /** The newest bucket: time divided by the length of a bucket. */
  index: number
  /** Oldest first. */
  counts: number[]
}

/** The bucket that a moment (in milliseconds) lies in. */
export function bucketOf(lengthMs: number, moment: number): number {
  return Math.floor((moment * bucketsPerWindow) / lengthMs)
}

/** The window moved on to `now`; a clock that was set back a little does not move it back. */
export function slide(window: Window | undefined, lengthMs: number, now: number): Window {
  const index = bucketOf(lengthMs, now)
  const shift = window ? index - window.index : bucketCount
  if (!window || shift <= -bucketCount || shift >= bucketCount)
    return { index, counts: Array<number>(bucketCount).fill(0) }
  if (shift <= 0) return { index: window.index, counts: [...window.counts] }
  return { index, counts: [...window.counts.slice(shift), ...Array<number>(shift).fill(0)] }
}

/** What has been taken of the window. */
export function used(window: Window): number {
  return window.counts.reduce((sum, count) => sum + count, 0)
}

/** Milliseconds until `amount` fits, when nothing else is taken meanwhile. */
export function waitMs(window: Window, ask: Ask, now: number): number {
  const lengthOfBucketMs = ask.lengthMs / bucketsPerWindow
  let left = used(window)
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    left -= window.counts[bucket]!
    if (left + ask.amount <= ask.limit!)
      return Math.ceil((window.index + bucket + 1) * lengthOfBucketMs - now)
  }
  return ask.lengthMs
}

/** Names the four figures of the windows. */
export function leftOf(figures: (number | null)[]): Record<WindowName, number | null> {
  const [burst = null, rpm = null, tph = null, tpd = null] = figures
  return { burst, rpm, tph, tpd }
}
