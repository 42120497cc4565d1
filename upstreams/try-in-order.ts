import { Problem } from '../schema/errors.ts'
import type { Attempt } from './attempts.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** The attempts to serve a request, in order. The attempts with the requested model come first. */
export interface OrderedPlan<Each extends Pick<Attempt, 'entry' | 'target'>> {
  attempts: Each[]
  /**
   * Time after which a failed attempt is not followed by another own credential, or by a second platform credential of
   * the same model, in milliseconds. Unlimited if absent.
   */
  ownBudgetMs?: number | undefined
  /** Called after each call. An attempt can make two calls. */
  onTry?: ((attempt: Each, end: AttemptEnd) => void) | undefined
  /** Called once per attempt, with its failure; undefined for a success. */
  onAttemptEnd(attempt: Each, failure: UpstreamFailure | undefined): void
}

/** How one call ended. */
export interface AttemptEnd {
  durationMs: number
  /** With secrets redacted; undefined for a success. */
  failure: UpstreamFailure | Problem | undefined
}

/**
 * Makes one attempt after another until one succeeds. `tryOne` resolves to undefined if the attempt must be skipped.
 *
 * A request that is invalid for the requested model fails. One that is invalid only for a fallback skips that fallback:
 * the client gets the failure of the requested model, so that an outage, after which a retry can succeed, never looks
 * like a mistake of the client.
 *
 * Throws the last UpstreamFailure of the requested model, and the other errors of `tryOne`.
 */
export async function tryInOrder<Each extends Pick<Attempt, 'entry' | 'target'>, Reply>(
  plan: OrderedPlan<Each>,
  tryOne: (attempt: Each) => Promise<Reply | undefined>,
): Promise<Reply> {
  const course: Course<Each> = { startedAt: performance.now(), previous: undefined, failure: undefined }
  for (const attempt of plan.attempts) {
    if (isTooLate(plan, course, attempt)) continue
    course.previous = attempt
    try {
      const reply = await tryOne(attempt)
      if (!reply) continue
      plan.onAttemptEnd(attempt, undefined)
      return reply
    } catch (error) {
      if (endsPlan(plan, course, { attempt, error })) break
    }
  }
  throw course.failure ?? noCredential()
}

/** The attempts so far. */
interface Course<Each> {
  startedAt: number
  previous: Each | undefined
  /** The failure that the client gets if no attempt succeeds. */
  failure: UpstreamFailure | undefined
}

/**
 * Whether it is too late for an attempt after a failure: one with an own credential, or with another platform credential of
 * the same model.
 */
function isTooLate<Each extends Pick<Attempt, 'entry' | 'target'>>(
  { ownBudgetMs = Number.POSITIVE_INFINITY }: OrderedPlan<Each>,
  { startedAt, previous, failure }: Course<Each>,
  { entry, target }: Each,
): boolean {
  if (!failure || performance.now() - startedAt <= ownBudgetMs) return false
  return target.byokId !== undefined || (entry === previous?.entry && previous.target.byokId === undefined)
}

/**
 * Reports the error of an attempt. Returns whether no further attempt follows. Throws errors that end the whole request.
 */
function endsPlan<Each extends Pick<Attempt, 'entry' | 'target'>>(
  { attempts, onTry, onAttemptEnd }: OrderedPlan<Each>,
  course: Course<Each>,
  { attempt, error }: { attempt: Each; error: unknown },
): boolean {
  const { entry, target } = attempt
  const isFallback = entry !== attempts[0]?.entry
  if (isFallback && error instanceof Problem && error.status === 400) {
    onTry?.(attempt, { durationMs: 0, failure: error })
    return false
  }
  if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') throw error
  const failure = error.redactFor(target)
  onAttemptEnd(attempt, failure)
  if (!isFallback || !course.failure) course.failure = failure
  // The vendor would refuse it with the next credential too, unless this is a customer's own deployment, whose limits can
  // differ.
  return failure.kind === 'request' && !target.byokId && !isFallback
}

/** Returns the failure of a request that no credential can serve. */
export function noCredential(): UpstreamFailure {
  return new UpstreamFailure('auth', { message: 'there is no credential for this vendor' })
}
