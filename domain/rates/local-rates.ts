import {
  bucketOf,
  byWindow,
  maxCount,
  type RateRequest,
  type RateResult,
  slide,
  sumOf,
  type Window,
  waitMs,
  windowChecks,
  windowNames,
} from './window.ts'

/** The most keys that are counted at once; the one used longest ago is dropped first. */
const maxKeys = 50_000

/**
 * Rate limits counted in the memory of this process, exactly as the Redis script counts: used while Redis is
 * down.
 */
export class LocalRates {
  readonly #windows = new Map<string, (Window | undefined)[]>()

  /**
   * Checks the four windows, and counts the request in all of them or in none. `now` is in milliseconds since
   * 1970.
   */
  check(request: RateRequest, now: number): RateResult {
    const { keyId } = request
    const checks = windowChecks(request)
    const stored = this.#windows.get(keyId) ?? []
    const windows = checks.map(({ limit, lengthMs }, at) =>
      limit === null ? stored[at] : slide(stored[at], lengthMs, now),
    )
    let refused = -1
    let longestMs = 0
    for (const [at, check] of checks.entries()) {
      const window = windows[at]
      if (check.limit === null || !window || check.amount === 0) continue
      if (sumOf(window) + check.amount <= check.limit) continue
      const ms = waitMs(window, check, now)
      if (ms > longestMs) [refused, longestMs] = [at, ms]
    }
    if (refused < 0) {
      for (const [at, { limit, amount }] of checks.entries()) if (limit !== null) addTo(windows[at]!, amount)
      this.#store(keyId, windows)
    }
    const left = checks.map(({ limit }, at) =>
      limit === null ? null : Math.max(0, limit - sumOf(windows[at]!)),
    )
    return {
      revision: null,
      refusedBy: windowNames[refused],
      waitMs: longestMs,
      countedAt: now,
      left: byWindow(left),
    }
  }

  /** Adds `difference` tokens, which may be negative, to what a request counted at `countedAt`. */
  correct({ keyId, limits }: RateRequest, countedAt: number, difference: number): void {
    const windows = this.#windows.get(keyId)
    for (const [at, { lengthMs }] of windowChecks({ limits, requests: 0, tokens: 0 }).entries()) {
      const window = windows?.[at]
      if (at >= 2 && window) correctBucket(window, bucketOf(lengthMs, countedAt), difference)
    }
  }

  #store(keyId: string, windows: (Window | undefined)[]): void {
    this.#windows.delete(keyId)
    this.#windows.set(keyId, windows)
    if (this.#windows.size > maxKeys) this.#windows.delete(this.#windows.keys().next().value!)
  }
}

function addTo(window: Window, amount: number): void {
  window.counts[window.counts.length - 1]! += amount
}

/** A count stays at zero or above; a bucket that is past the window is not touched. */
function correctBucket({ index, counts }: Window, bucket: number, difference: number): void {
  const at = counts.length - 1 - (index - bucket)
  const count = counts[at]
  if (count !== undefined) counts[at] = Math.min(Math.max(0, count + difference), maxCount)
}
