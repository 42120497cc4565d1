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
  const { attempts, ownBudgetMs = Number.POSITIVE_INFINITY } = plan
  const requested = attempts[0]?.entry
  const startedAt = performance.now()
  let failure: UpstreamFailure | undefined
  let previous: Each | undefined
  for (const attempt of attempts) {
    const { entry, target } = attempt
    const isFallback = entry !== requested
    if (failure && isAnother(attempt, previous) && performance.now() - startedAt > ownBudgetMs) continue
    previous = attempt
    const result = await makeAttempt(plan, { attempt, isFallback, tryOne })
    if (!result) continue
    if (!(result instanceof UpstreamFailure)) return result
    if (!isFallback || !failure) failure = result
    // The vendor would refuse it with the next credential too, unless this is a customer's own deployment, whose limits
    // can differ.
    if (result.kind === 'request' && !target.byokId && !isFallback) break
  }
  throw failure ?? noCredential()
}

/** Whether an attempt is made with an own credential, or with another platform credential of the same model. */
function isAnother(
  { entry, target }: Pick<Attempt, 'entry' | 'target'>,
  previous: Pick<Attempt, 'entry' | 'target'> | undefined,
): boolean {
  if (target.byokId !== undefined) return true
  return entry === previous?.entry && previous.target.byokId === undefined
}

interface Trial<Each, Reply> {
  attempt: Each
  isFallback: boolean
  tryOne(attempt: Each): Promise<Reply | undefined>
}

/**
 * Makes one attempt and reports its end. Resolves to the reply, to the failure with secrets redacted, or to undefined if
 * the attempt is skipped. Throws the errors that end the whole request.
 */
async function makeAttempt<Each extends Pick<Attempt, 'entry' | 'target'>, Reply>(
  { onTry, onAttemptEnd }: OrderedPlan<Each>,
  { attempt, isFallback, tryOne }: Trial<Each, Reply>,
): Promise<Reply | UpstreamFailure | undefined> {
  try {
    const reply = await tryOne(attempt)
    if (reply) onAttemptEnd(attempt, undefined)
    return reply
  } catch (error) {
    if (isFallback && error instanceof Problem && error.status === 400) {
      onTry?.(attempt, { durationMs: 0, failure: error })
      return undefined
    }
    if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') throw error
    const failure = error.redactFor(attempt.target)
    onAttemptEnd(attempt, failure)
    return failure
  }
}

/** Returns the failure of a request that no credential can serve. */
export function noCredential(): UpstreamFailure {
  return new UpstreamFailure('auth', { message: 'there is no credential for this vendor' })
}
