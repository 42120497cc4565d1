import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

/** Interval at which a lasting failure is logged, in milliseconds. The first line follows after this time. */
const warnEveryMs = 5_000

export interface PauseOptions {
  log: Log
  /** The message that is logged, with `details`, while failures last. */
  warning: string
  details: object
  /** Pause after the first failure, in milliseconds. It doubles with each further failure. */
  firstMs: number
  longestMs: number
}

/**
 * Returns a function that waits between two attempts of work that is repeated until it succeeds. The delay grows and is
 * jittered. Call it with the error of the attempt.
 */
export function openPauses({ log, warning, details, firstMs, longestMs }: PauseOptions) {
  let nextMs = firstMs
  let warnedAt = performance.now()
  return async (err?: unknown): Promise<void> => {
    const now = performance.now()
    if (now - warnedAt >= warnEveryMs) {
      warnedAt = now
      log.warn({ err, ...details }, warning)
    }
    await sleep(nextMs * (0.5 + Math.random() / 2))
    nextMs = Math.min(nextMs * 2, longestMs)
  }
}
