const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Delays between a failed attempt and the next one, in milliseconds: seven attempts in about 18 hours. */
export const retryDelaysMs: readonly number[] = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
]

/** Maximum delay that a `Retry-After` can cause, in milliseconds. */
const longestRetryAfterMs = 12 * hours

/** The receiver's response, or the reason why there is none. */
export interface TryResult {
  /** The HTTP status; undefined if the receiver did not respond. */
  status?: number | undefined
  /** The reason why there is no response, or why it does not count. */
  error?: string | undefined
  /** The first bytes of the response's body. */
  answer?: string | undefined
  retryAfterMs?: number | undefined
}

/** The new state of a delivery after an attempt. */
export type TryOutcome = { state: 'delivered' | 'failed' | 'gone' } | { state: 'pending'; waitMs: number }

/**
 * Returns the new state of a delivery after attempt number `step` of its schedule, starting at 1. Any 2xx is success,
 * and 410 stops the delivery (docs/callbacks.md, When the receiver fails). A `Retry-After` can only make the next
 * attempt later.
 */
export function outcomeOf({ status, retryAfterMs = 0 }: TryResult, step: number): TryOutcome {
  if (status !== undefined && status >= 200 && status < 300) return { state: 'delivered' }
  if (status === 410) return { state: 'gone' }
  const delayMs = retryDelaysMs[step - 1]
  if (delayMs === undefined) return { state: 'failed' }
  return { state: 'pending', waitMs: Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs)) }
}

/** Parses a `Retry-After`, which is in seconds or a date, to milliseconds. Returns undefined for any other value. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * seconds
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
