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

/** One way to have a request answered: a model, with one credential. */
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
  /** Who asks; absent where only customers' own credentials are tried. */
  accountId?: string | undefined
  /** In the order in which they are tried. */
  attempts: Way[]
  /**
   * The call to make, or none where the attempt is not to be made any more. Throws where no further one may be,
   * such as for want of money.
   */
  prepare(attempt: Way): Promise<ChatCall | undefined>
  /** What allows a call. Absent where no key is behind it. */
  gate?: CallGate<Way> | undefined
  /** Told of each try, a second one of the same attempt too. */
  tried?: ((attempt: Way, end: AttemptEnd) => void) | undefined
  /** Told of each attempt's end; the failure, or nothing for a success. */
  ended(attempt: Way, failure: UpstreamFailure | undefined): void
  /** Cancelled when the client leaves. */
  cancellation: Cancellation
}

/** How one try ended. */
export interface AttemptEnd {
  durationMs: number
  /** Its secrets are blanked. Absent for a success. */
  failure: UpstreamFailure | Problem | undefined
}

/** Whether a vendor may be called: asked first before its connection is chosen, then on the connected socket. */
export interface CallGate<Way extends Attempt> {
  /**
   * Throws where no call may be made any more: the key was revoked. False where this attempt is not to be made: its
   * credential was deleted or disabled.
   */
  mayCall(attempt: Way): Promise<boolean>
  /** Whether the last answer of `mayCall` is young enough to begin the call by it. */
  mayStart(): boolean
}

/** A vendor that asks for a longer pause than this is not waited for. */
const longestWaitMs = 2_000

/**
 * Has a chat request answered: attempt by attempt until one answers. Resolves when the whole answer, or the first
 * chunk of a stream, is there; until then nothing has reached the client and the next attempt may be made.
 *
 * The attempts of the first model come first. A request that is wrong for that model is wrong. One that only a
 * fallback cannot take passes that fallback over: what the client is told is why the model that it asked for did not
 * answer, so that a failure which is worth another try is never told as the client's own.
 *
 * Throws the last UpstreamFailure of the first model, Problem for what that model cannot do, and what `prepare` and
 * the gate throw; `unavailable` where connections take so long that no call can begin.
 */
export async function callChat<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
): Promise<ChatReply> {
  const asked = plan.attempts[0]?.entry
  let failure: UpstreamFailure | undefined
  upstreams.retries.earn(plan.accountId)
  for (const attempt of plan.attempts) {
    const isFallback = attempt.entry !== asked
    try {
      const reply = await tryWithRetry(upstreams, plan, attempt)
      if (!reply) continue
      plan.ended(attempt, undefined)
      return reply
    } catch (error) {
      if (isFallback && error instanceof Problem && error.status === 400) {
        plan.tried?.(attempt, { durationMs: 0, failure: error })
        continue
      }
      if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') throw error
      const told = error.of(attempt.target)
      plan.ended(attempt, told)
      if (!isFallback || !failure) failure = told
      // The same request is as wrong for the next one; a customer's own deployment may just lack something.
      if (error.kind === 'request' && !attempt.target.byokId && !isFallback) break
    }
  }
  throw failure ?? new UpstreamFailure('auth', { message: 'there is no credential for this vendor' })
}

/** The platform's credential gets a second try where the budget has one; a customer's is tried once (contract: BYOK). */
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
    if (waitMs > longestWaitMs || !upstreams.retries.spend(plan.accountId)) throw error
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
    plan.tried?.(attempt, { durationMs: performance.now() - startedAt, failure })
  try {
    const reply = await attemptOnce(upstreams, plan, attempt)
    if (reply) report(undefined)
    return reply
  } catch (error) {
    if (error instanceof UpstreamFailure && error.kind !== 'aborted') report(error.of(attempt.target))
    throw error
  }
}

/** Calls the vendor where its breaker lets the call through. */
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
    breakers.record(permit, endOf(error, call))
    throw error
  }
}

/**
 * What an error tells of the vendor: a wrong request was answered well; what is no failure of a call tells nothing, and
 * neither does a whole answer that our own time limit ended.
 */
function endOf(error: unknown, { request }: ChatCall): CallEnd {
  if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') return 'not-counted'
  if (error.kind === 'timeout' && error.details.status === undefined && !request.stream) return 'not-counted'
  return error.kind === 'request' ? 'succeeded' : 'failed'
}
