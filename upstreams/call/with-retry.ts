import type { Cancellation } from '../http/cancellation.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { RetryBudget } from './retry-budget.ts'

/** Maximum delay of a retry, in milliseconds, even if the vendor's `retry-after` is longer. */
const maxWaitMs = 2_000

/**
 * Retries a call with the platform's credential once if the vendor was busy or failed, the retry budget allows it, and
 * `mayRepeat` returns true because nothing can be generated twice. A call is not retried if it uses a customer's own
 * credential, or if another credential of the platform follows (docs/behaviour.md, Retries and fallbacks). Throws the
 * error of the last attempt.
 */
export function withRetry<Result>(
  retries: RetryBudget,
  options: {
    target: Target
    accountId?: string | undefined
    cancellation: Cancellation
    mayRepeat?: (failure: UpstreamFailure) => boolean
  },
  tryOnce: () => Promise<Result>,
): Promise<Result> {
  const { target, accountId, cancellation, mayRepeat = () => true } = options
  return tryOnce().catch(async error => {
    if (!(error instanceof UpstreamFailure) || target.byokId || target.hasNext) throw error
    if ((error.kind !== 'busy' && error.kind !== 'broken') || !mayRepeat(error)) throw error
    const waitMs = (error.details.retryAfterSeconds ?? 0) * 1000 || 50 + Math.random() * 100
    if (waitMs > maxWaitMs || !retries.spend(accountId)) throw error
    await cancellation.pause(waitMs)
    if (cancellation.isCancelled) throw new UpstreamFailure('aborted')
    return tryOnce()
  })
}
