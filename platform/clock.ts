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
