import { breakerName, type Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { Breakers, CallEnd, Permit } from './breaker.ts'

/**
 * Permits a call, whose end `endCall` counts. Throws UpstreamFailure `circuit_open` if the circuit breaker of its
 * credential is open, and `busy` if the credential is at its own limits.
 */
export function permitCall(
  breakers: Breakers,
  { target, accountId }: { target: Target; accountId?: string | undefined },
): Permit {
  const permit = breakers.acquire({
    credential: breakerName(target),
    accountId: target.byokId ? undefined : accountId,
  })
  if (permit.waitMs > 0)
    throw new UpstreamFailure('circuit_open', {
      message: 'it failed again and again and was not called',
      retryAfterSeconds: Math.ceil(permit.waitMs / 1000),
    })
  const limitWaitMs = target.lease?.begin() ?? 0
  if (limitWaitMs > 0) {
    breakers.record(permit, 'not-counted')
    throw new UpstreamFailure('busy', {
      message: "the credential's own limits are reached and it was not called",
      retryAfterSeconds: Math.ceil(limitWaitMs / 1000),
    })
  }
  return permit
}

/** Counts how a permitted call failed. `end` is how its error counts for the breaker. */
export function endFailedCall(
  breakers: Breakers,
  permit: Permit,
  { target, error, end }: { target: Target; error: unknown; end: CallEnd },
): void {
  breakers.record(permit, end)
  if (error instanceof UpstreamFailure) target.lease?.end(error)
}
