import type { ChatEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import type { ChatAnswer, ChatCall } from '../chat-adapter.ts'
import type { Cancellation } from '../http/cancellation.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { CallEnd } from './breaker.ts'
import type { ChatStream } from './chat-stream.ts'
import type { Upstreams } from './open-upstreams.ts'
import { reachVendor } from './reach-vendor.ts'

/** One way to answer a request: a model, called with one credential. */
export interface Attempt {
  entry: ChatEntry
  target: Target
}

export interface ChatReply {
  target: Target
  upstreamRequestId: string | null
  /** The whole answer, or the stream whose first chunk has arrived. */
  answer: ChatAnswer | undefined
  stream: ChatStream | undefined
}

export interface Plan<Way extends Attempt> {
  /** The account of the request; absent where only customers' own credentials are tried. */
  accountId?: string | undefined
  /** In the order in which they are tried. */
  attempts: Way[]
  /**
   * The call to make; undefined where this attempt must be skipped. Throws where no further attempt may be
   * made, such as when the balance does not cover it.
   */
  prepare(attempt: Way): Promise<ChatCall | undefined>
  /**
   * Checks right before a call that it is still allowed. Absent where the request came without an API key.
   */
  gate?: CallGate<Way> | undefined
  /** Called after each try; an attempt may be tried twice. */
  onTry?: ((attempt: Way, end: AttemptEnd) => void) | undefined
  /** Called once per attempt, with its failure; undefined for a success. */
  onAttemptEnd(attempt: Way, failure: UpstreamFailure | undefined): void
  /** Cancelled when the client leaves. */
  cancellation: Cancellation
}

/** How one try ended. */
export interface AttemptEnd {
  durationMs: number
  /** With secrets blanked; undefined for a success. */
  failure: UpstreamFailure | Problem | undefined
}

/** Checks that a vendor may still be called: before a connection is chosen, and again when it is ready. */
export interface CallGate<Way extends Attempt> {
  /**
   * Checks the key and the credential. False where this attempt must be skipped: its credential was deleted
   * or disabled. Throws where no call may be made any more: the key was revoked.
   */
  mayCall(attempt: Way): Promise<boolean>
  /** Whether the last result of `mayCall` is recent enough to begin the call. */
  mayStart(): boolean
}

/** No retry waits longer than this, whatever `retry-after` the vendor sends. */
const maxWaitMs = 2_000

/**
 * Calls vendors, attempt by attempt, until one answers. Resolves when the whole answer, or the first chunk of
 * a stream, has arrived; before that nothing has reached the client, so the next attempt may be made.
 *
 * The attempts of the requested model come first. A request that is invalid for that model fails. One that is
 * invalid only for a fallback skips that fallback: the client gets the failure of the model that it
 * requested, so that an outage, which is worth a retry, never looks like a mistake of the client's.
 *
 * Throws the last UpstreamFailure of the requested model, Problem for what that model cannot do, and what
 * `prepare` and the gate throw; `unavailable` where connections take so long that no call can begin.
 */
export async function callChat<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
): Promise<ChatReply> {
  const requested = plan.attempts[0]?.entry
  let failure: UpstreamFailure | undefined
  upstreams.retries.earn(plan.accountId)
  for (const attempt of plan.attempts) {
    const isFallback = attempt.entry !== requested
    try {
      const reply = await tryWithRetry(upstreams, plan, attempt)
      if (!reply) continue
      plan.onAttemptEnd(attempt, undefined)
      return reply
    } catch (error) {
      if (isFallback && error instanceof Problem && error.status === 400) {
        plan.onTry?.(attempt, { durationMs: 0, failure: error })
        continue
      }
      if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') throw error
      const redacted = error.redactFor(attempt.target)
      plan.onAttemptEnd(attempt, redacted)
      if (!isFallback || !failure) failure = redacted
      // The next credential would refuse it as well, unless this was a customer's own deployment with limits
      // of its own.
      if (error.kind === 'request' && !attempt.target.byokId && !isFallback) break
    }
  }
  throw failure ?? new UpstreamFailure('auth', { message: 'there is no credential for this vendor' })
}

/**
 * With the platform's credential a vendor that was busy or broken gets a second try, as far as the retry
 * budget allows; a customer's own credential is tried once (docs/behaviour.md, Retries and fallbacks).
 */
async function tryWithRetry<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
  attempt: Way,
): Promise<ChatReply | undefined> {
  try {
    return await tryOnce(upstreams, plan, attempt)
  } catch (error) {
    if (!(error instanceof UpstreamFailure) || attempt.target.byokId) throw error
    if (error.kind !== 'busy' && error.kind !== 'broken') throw error
    const waitMs = (error.details.retryAfterSeconds ?? 0) * 1000 || 50 + Math.random() * 100
    if (waitMs > maxWaitMs || !upstreams.retries.spend(plan.accountId)) throw error
    await plan.cancellation.pause(waitMs)
    if (plan.cancellation.isCancelled) throw new UpstreamFailure('aborted')
    return tryOnce(upstreams, plan, attempt)
  }
}

async function tryOnce<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
  attempt: Way,
): Promise<ChatReply | undefined> {
  const startedAt = performance.now()
  const report = (failure: UpstreamFailure | undefined) =>
    plan.onTry?.(attempt, { durationMs: performance.now() - startedAt, failure })
  try {
    const reply = await attemptOnce(upstreams, plan, attempt)
    if (reply) report(undefined)
    return reply
  } catch (error) {
    if (error instanceof UpstreamFailure && error.kind !== 'aborted') report(error.redactFor(attempt.target))
    throw error
  }
}

/** Calls the vendor, unless its breaker is open. */
async function attemptOnce<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
  attempt: Way,
): Promise<ChatReply | undefined> {
  const { breakers } = upstreams
  const { vendor, byokId } = attempt.target
  const call = await plan.prepare(attempt)
  if (!call) return undefined
  const permit = breakers.acquire({
    credential: `${vendor} ${byokId ?? 'platform'}`,
    accountId: byokId ? undefined : plan.accountId,
  })
  if (permit.waitMs > 0) {
    throw new UpstreamFailure('circuit_open', {
      message: 'it failed again and again and was not called',
      retryAfterSeconds: Math.ceil(permit.waitMs / 1000),
    })
  }
  try {
    const reply = await reachVendor(upstreams, { plan, attempt, call })
    breakers.record(permit, reply ? 'succeeded' : 'not-counted')
    return reply
  } catch (error) {
    breakers.record(permit, callEndOf(error, call))
    throw error
  }
}

/**
 * What an error counts as for the breaker. A vendor that refused an invalid request works. Errors of our own,
 * calls that the client aborted, and whole answers that took longer than our time limit show nothing of the
 * vendor.
 */
function callEndOf(error: unknown, { request }: ChatCall): CallEnd {
  if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') return 'not-counted'
  if (error.kind === 'timeout' && error.details.status === undefined && !request.stream) return 'not-counted'
  return error.kind === 'request' ? 'succeeded' : 'failed'
}
