/** A day, in milliseconds. */
export const dayMs = 86_400_000

/** The time, injected so that tests can move it. */
export interface Clock {
  /**
   * Milliseconds since 1970, UTC: for what people read and what is written down. It may be set back or ahead.
   */
  now(): number
  /**
   * Milliseconds since some moment of this process, never set back: for every duration, age and time limit.
   */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/**
 * What `promise` resolves to, or an error once `ms` have passed: for what others wait behind, so that one
 * answer that never comes (a connection that was lost silently) does not stop them all.
 */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
