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

/** An answer did not come within its time limit. */
export class NoAnswerInTime extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'NoAnswerInTime'
  }
}

/**
 * Resolves to the result of `promise`. Throws `NoAnswerInTime` after `ms`, so that an answer that never comes, such as
 * one on a connection that was lost silently, does not stop what waits for it.
 */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoAnswerInTime(ms)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
