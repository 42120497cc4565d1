import type { Cancellation } from '../http/cancellation.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { RetryBudget } from './retry-budget.ts'

/** Maximum delay of a retry, in milliseconds, even if the vendor's `retry-after` is longer. */
const maxWaitMs = 2_000

/**
 * Waits until a failed call may be retried. A call with the platform's credential is retried if the vendor was busy or
 * failed, the retry budget allows it, and `mayRepeat` is not false because something could be generated twice. A call is
 * not retried if it uses a customer's own credential, or if another credential of the platform follows
 * (docs/behaviour.md, Retries and fallbacks). Otherwise, throws the call's error. Throws `aborted` if the client
 * disconnects.
 */
export async function awaitRetry(
  retries: RetryBudget,
  error: unknown,
  options: {
    target: Target
    accountId?: string | undefined
    cancellation: Cancellation
    mayRepeat?: boolean
  },
): Promise<void> {
  const { target, accountId, cancellation, mayRepeat = true } = options
  if (!(error instanceof UpstreamFailure) || target.byokId || target.hasNext) throw error
  if ((error.kind !== 'busy' && error.kind !== 'broken') || !mayRepeat) throw error
  const waitMs = (error.details.retryAfterSeconds ?? 0) * 1000 || 50 + Math.random() * 100
  if (waitMs > maxWaitMs || !retries.spend(accountId)) throw error
  await cancellation.pause(waitMs)
  if (cancellation.isCancelled) throw new UpstreamFailure('aborted')
}
