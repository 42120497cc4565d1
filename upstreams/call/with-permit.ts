import { breakerName, type Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { Breakers, CallEnd } from './breaker.ts'

/**
 * Makes a call unless the circuit breaker of its credential is open or the credential is at its own limits, and counts
 * how it ended. `endOf` returns how an error counts. A call that resolves to undefined was not made. Throws
 * UpstreamFailure `circuit_open` or `busy`, and the errors of the call.
 */
export function withPermit<Result>(
  breakers: Breakers,
  { target, accountId }: { target: Target; accountId?: string | undefined },
  { run, endOf }: { run(): Promise<Result>; endOf(error: unknown): CallEnd },
): Promise<Result> {
  const permit = breakers.acquire({
    credential: breakerName(target),
    accountId: target.byokId ? undefined : accountId,
  })
  if (permit.waitMs > 0) {
    const failure = new UpstreamFailure('circuit_open', {
      message: 'it failed again and again and was not called',
      retryAfterSeconds: Math.ceil(permit.waitMs / 1000),
    })
    return Promise.reject(failure)
  }
  const limitWaitMs = target.lease?.begin() ?? 0
  if (limitWaitMs > 0) {
    breakers.record(permit, 'not-counted')
    const failure = new UpstreamFailure('busy', {
      message: "the credential's own limits are reached and it was not called",
      retryAfterSeconds: Math.ceil(limitWaitMs / 1000),
    })
    return Promise.reject(failure)
  }
  return run().then(
    result => {
      breakers.record(permit, result === undefined ? 'not-counted' : 'succeeded')
      return result
    },
    error => {
      breakers.record(permit, endOf(error))
      if (error instanceof UpstreamFailure) target.lease?.end(error)
      throw error
    },
  )
}
