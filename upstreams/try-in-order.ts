import { Problem } from '../schema/errors.ts'
import type { Target } from './targets.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** Ways to have a request answered, in the order in which they are tried; those of the requested model come first. */
export interface OrderedPlan<Way extends { entry: object; target: Target }> {
  attempts: Way[]
  /** Time after which no further own credential is tried if one has failed, in milliseconds; unlimited if absent. */
  ownBudgetMs?: number | undefined
  /** Called after each try; an attempt may be tried twice. */
  onTry?: ((attempt: Way, end: AttemptEnd) => void) | undefined
  /** Called once per attempt, with its failure; undefined for a success. */
  onAttemptEnd(attempt: Way, failure: UpstreamFailure | undefined): void
}

/** How one try ended. */
export interface AttemptEnd {
  durationMs: number
  /** With secrets blanked; undefined for a success. */
  failure: UpstreamFailure | Problem | undefined
}

/**
 * Tries one way after another until one answers; `tryOne` resolves to undefined where a way must be skipped.
 *
 * A request that is invalid for the requested model fails. One that is invalid only for a fallback skips that
 * fallback: the client gets the failure of the model that it requested, so that an outage, which is worth a
 * retry, never looks like a mistake of the client's.
 *
 * Throws the last UpstreamFailure of the requested model, and what else `tryOne` throws.
 */
export async function tryInOrder<Way extends { entry: object; target: Target }, Reply>(
  { attempts, ownBudgetMs = Number.POSITIVE_INFINITY, onTry, onAttemptEnd }: OrderedPlan<Way>,
  tryOne: (attempt: Way) => Promise<Reply | undefined>,
): Promise<Reply> {
  const requested = attempts[0]?.entry
  const startedAt = performance.now()
  let failure: UpstreamFailure | undefined
  for (const attempt of attempts) {
    const isFallback = attempt.entry !== requested
    if (attempt.target.byokId && failure && performance.now() - startedAt > ownBudgetMs) continue
    try {
      const reply = await tryOne(attempt)
      if (!reply) continue
      onAttemptEnd(attempt, undefined)
      return reply
    } catch (error) {
      if (isFallback && error instanceof Problem && error.status === 400) {
        onTry?.(attempt, { durationMs: 0, failure: error })
        continue
      }
      if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') throw error
      const redacted = error.redactFor(attempt.target)
      onAttemptEnd(attempt, redacted)
      if (!isFallback || !failure) failure = redacted
      // The next credential would refuse it as well, unless this was a customer's own deployment with limits
      // of its own.
      if (error.kind === 'request' && !attempt.target.byokId && !isFallback) break
    }
  }
  throw failure ?? new UpstreamFailure('auth', { message: 'there is no credential for this vendor' })
}
