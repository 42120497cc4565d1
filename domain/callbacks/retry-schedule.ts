const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** How long after each failed try the next one begins, in milliseconds: seven tries in about a day. */
export const retryDelaysMs: readonly number[] = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
]

/** A `Retry-After` beyond this is not believed. */
const longestRetryAfterMs = 12 * hours

/** The receiver's response, or the reason why there is none. */
export interface TryResult {
  /** The HTTP status; undefined where nothing answered. */
  status?: number | undefined
  /** Why there is no answer, or why it does not count. */
  error?: string | undefined
  /** The first bytes of the answer. */
  answer?: string | undefined
  retryAfterMs?: number | undefined
}

/** What becomes of a delivery after a try. */
export type Outcome = { state: 'delivered' | 'failed' | 'gone' } | { state: 'pending'; waitMs: number }

/**
 * What becomes of a delivery after try number `step` of its schedule, counted from 1. Any 2xx is success, 410 stops
 * (docs/callbacks.md, When the receiver fails). A `Retry-After` can make the next try later, never sooner.
 */
export function outcomeOf({ status, retryAfterMs = 0 }: TryResult, step: number): Outcome {
  if (status !== undefined && status >= 200 && status < 300) return { state: 'delivered' }
  if (status === 410) return { state: 'gone' }
  const delayMs = retryDelaysMs[step - 1]
  if (delayMs === undefined) return { state: 'failed' }
  return { state: 'pending', waitMs: Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs)) }
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as a date; undefined for anything else. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * seconds
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
