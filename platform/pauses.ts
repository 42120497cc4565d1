import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

/** A failure that lasts is logged after this time, and again each time this has passed, in milliseconds. */
const warnEveryMs = 5_000

export interface PauseOptions {
  log: Log
  /** Logged, with `details`, while failures last. */
  warning: string
  details: object
  /** The pause after the first failure, which doubles with each of the next, in milliseconds. */
  firstMs: number
  longestMs: number
}

/**
 * Returns a function that waits between two attempts of something that is repeated until it succeeds: longer each time,
 * and jittered. Call it with the error of the attempt.
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
