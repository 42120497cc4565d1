/** A day, in milliseconds. */
export const dayMs = 86_400_000

/** The time, injected so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970, UTC, for times that are shown or stored. The clock may be set back or ahead. */
  now(): number
  /** Milliseconds since a moment in the life of this process, for durations, ages and time limits. Never set back. */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** No answer arrived within the time limit. */
export class NoAnswerInTime extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'NoAnswerInTime'
  }
}

/**
 * Resolves to the result of `promise`. Throws `NoAnswerInTime` after `ms`, so that the caller does not wait for ever,
 * for example on a connection that was lost silently.
 */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoAnswerInTime(ms)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
