import { LRUCache } from 'lru-cache'
import type { RateRequest, WindowName } from './window.ts'
import { windowChecks, windowNames } from './window.ts'

/** Maximum number of windows for which a retry time is kept. */
const maxWindows = 10_000

/**
 * Spreads the retries of requests that a window of requests refused. If all refusals of a burst named the same moment,
 * the retries would be refused again. Windows of tokens are not spread: a request counts its maximum there until it is
 * settled, and one request may be most of a window.
 */
export class RetryTimes {
  /** The last retry time given for a window, by the monotonic clock in milliseconds. */
  readonly #last = new LRUCache<string, number>({ max: maxWindows })

  /**
   * Returns the time after which a refused request may be retried, in milliseconds: `waitMs` for the first refusal, and
   * in a window of requests one average interval of it later for each further one. Never more than the window's length.
   */
  next(
    request: RateRequest,
    { refusedBy, waitMs, now }: { refusedBy: WindowName; waitMs: number; now: number },
  ): number {
    const { limit, lengthMs, amount } = windowChecks(request)[windowNames.indexOf(refusedBy)]!
    if (refusedBy === 'tph' || refusedBy === 'tpd') return Math.min(waitMs, lengthMs)
    const intervalMs = (lengthMs * amount) / Math.max(1, limit ?? 1)
    const id = `${refusedBy} ${refusedBy === 'account' ? request.accountId : request.keyId}`
    const earliest = now + waitMs
    const afterLast = (this.#last.get(id) ?? Number.NEGATIVE_INFINITY) + intervalMs
    const at = Math.min(Math.max(earliest, afterLast), now + lengthMs)
    this.#last.set(id, at)
    return at - now
  }
}
