import {
  asksOf,
  bucketOf,
  leftOf,
  mostCounted,
  type RateRequest,
  type RateResult,
  slide,
  used,
  type Window,
  waitMs,
  windowNames,
} from './window.ts'

/** Keys remembered at most; the oldest are forgotten first. */
const maxKeys = 50_000

/** The windows in this process's memory: what limits fall back to while Redis is away. */
export class LocalRates {
  readonly #windows = new Map<string, (Window | undefined)[]>()

  /** Checks the four windows together, and takes them together or not at all. */
  check(question: RateRequest, now: number): RateResult {
    const { keyId } = question
    const asks = asksOf(question)
    const kept = this.#windows.get(keyId) ?? []
    const windows = asks.map((ask, at) =>
      ask.limit === null ? kept[at] : slide(kept[at], ask.lengthMs, now),
    )
    let refused = -1
    let longestMs = 0
    for (const [at, ask] of asks.entries()) {
      const window = windows[at]
      if (ask.limit === null || !window || ask.amount === 0) continue
      if (used(window) + ask.amount <= ask.limit) continue
      const ms = waitMs(window, ask, now)
      if (ms > longestMs) [refused, longestMs] = [at, ms]
    }
    if (refused < 0) {
      for (const [at, ask] of asks.entries()) if (ask.limit !== null) addTo(windows[at]!, ask.amount)
      this.#keep(keyId, windows)
    }
    const left = asks.map((ask, at) =>
      ask.limit === null ? null : Math.max(0, ask.limit - used(windows[at]!)),
    )
    return {
      revision: null,
      refusedBy: windowNames[refused],
      waitMs: longestMs,
      takenAt: now,
      left: leftOf(left),
    }
  }

  /** Adds to the token windows what a request that was counted at `takenAt` took beyond its estimate. */
  correct({ keyId, limits }: RateRequest, takenAt: number, difference: number): void {
    const windows = this.#windows.get(keyId)
    for (const [at, { lengthMs }] of asksOf({ limits, requests: 0, tokens: 0 }).entries()) {
      const window = windows?.[at]
      if (at >= 2 && window) correctBucket(window, bucketOf(lengthMs, takenAt), difference)
    }
  }

  #keep(keyId: string, windows: (Window | undefined)[]): void {
    this.#windows.delete(keyId)
    this.#windows.set(keyId, windows)
    if (this.#windows.size > maxKeys) this.#windows.delete(this.#windows.keys().next().value!)
  }
}

function addTo(window: Window, amount: number): void {
  window.counts[window.counts.length - 1]! += amount
}

/** Never below nothing; a bucket that has left the window is left alone. */
function correctBucket({ index, counts }: Window, bucket: number, difference: number): void {
  const at = counts.length - 1 - (index - bucket)
  const count = counts[at]
  if (count !== undefined) counts[at] = Math.min(Math.max(0, count + difference), mostCounted)
}
