import { LRUCache } from 'lru-cache'
import type { Owed } from './owed-counts.ts'
import {
  bucketOf,
  byWindow,
  maxCount,
  type RateLimits,
  type RateRequest,
  type RateResult,
  slide,
  sumOf,
  type Window,
  waitMs,
  windowChecks,
  windowNames,
} from './window.ts'

/** Maximum number of keys and accounts that are counted. The least recently used one is dropped first. */
const maxKeys = 50_000

/** Number of windows that belong to the key; the last window belongs to the account. */
const keyWindows = windowNames.length - 1

/** The result that Redis last returned for a key. */
interface Seen {
  request: RateRequest
  left: RateResult['left']
  /** In milliseconds since 1970. */
  at: number
}

/**
 * Rate limits counted in the memory of this process, exactly as the Redis script counts. They decide while Redis is
 * unavailable, and continue from what Redis last returned.
 */
export class LocalRates {
  /** The windows by key ID, and the account's window by account ID. */
  readonly #windows = new LRUCache<string, (Window | undefined)[]>({ max: maxKeys })
  readonly #seen = new LRUCache<string, Seen>({ max: maxKeys })

  /** Remembers what Redis returned for a request, at `at` in milliseconds since 1970. */
  follow(request: RateRequest, { left }: RateResult, at: number): void {
    this.#seen.set(request.keyId, { request, left, at })
  }

  /** Checks the windows, and counts the request in all of them or in none. `now` is in milliseconds since 1970. */
  check(request: RateRequest, now: number): RateResult {
    this.#applySeen(request.keyId)
    const checks = windowChecks(request)
    const stored = this.#stored(request)
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
      this.#store(request, windows)
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

  /**
   * Returns the part of a key's owed counts that is still within the windows, in place of their limits: counts leave
   * their window even while Redis does not respond.
   */
  stillCounted({ request }: Owed, now: number): RateLimits {
    const stored = this.#stored(request)
    const [burst, rpm = null, tph = null, tpd = null, account = null] = windowChecks(request).map(
      ({ limit, lengthMs, amount }, at) =>
        limit === null ? null : Math.min(amount, sumOf(slide(stored[at], lengthMs, now))),
    )
    return { burst: burst ?? 0, burstWindowMs: request.limits.burstWindowMs, rpm, tph, tpd, account }
  }

  /** Adds `difference` tokens, which may be negative, to what a request counted at `countedAt`. */
  correct({ keyId, limits }: RateRequest, countedAt: number, difference: number): void {
    const windows = this.#windows.get(keyId)
    for (const [at, { lengthMs }] of windowChecks({ limits, requests: 0, tokens: 0 }).entries()) {
      const window = windows?.[at]
      if ((at === 2 || at === 3) && window) correctBucket(window, bucketOf(lengthMs, countedAt), difference)
    }
  }

  /** Raises the counts to the counts that Redis last returned, as if everything had been counted at that time. */
  #applySeen(keyId: string): void {
    const seen = this.#seen.get(keyId)
    if (!seen) return
    this.#seen.delete(keyId)
    const stored = this.#stored(seen.request)
    const windows = windowChecks(seen.request).map(({ limit, lengthMs }, at) => {
      const left = seen.left[windowNames[at]!]
      if (limit === null || left === null) return stored[at]
      const window = slide(stored[at], lengthMs, seen.at)
      addTo(window, Math.max(0, limit - left - sumOf(window)))
      return window
    })
    this.#store(seen.request, windows)
  }

  #stored({ keyId, accountId }: Pick<RateRequest, 'keyId' | 'accountId'>): (Window | undefined)[] {
    const ofKey = this.#windows.get(keyId) ?? []
    return [...Array.from({ length: keyWindows }, (_, at) => ofKey[at]), this.#windows.get(accountId)?.[0]]
  }

  #store({ keyId, accountId }: RateRequest, windows: (Window | undefined)[]): void {
    this.#windows.set(keyId, windows.slice(0, keyWindows))
    const ofAccount = windows[keyWindows]
    if (ofAccount) this.#windows.set(accountId, [ofAccount])
  }
}

function addTo(window: Window, amount: number): void {
  window.counts[window.counts.length - 1]! += amount
}

/** A count never becomes negative. A bucket that has left the window is not changed. */
function correctBucket({ index, counts }: Window, bucket: number, difference: number): void {
  const at = counts.length - 1 - (index - bucket)
  const count = counts[at]
  if (count !== undefined) counts[at] = Math.min(Math.max(0, count + difference), maxCount)
}
