import type { DetachedTexts } from '../../platform/json/detached-texts.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Attempt } from '../attempts.ts'
import type { ChatAnswer, ChatCall } from '../chat-adapter.ts'
import type { Cancellation } from '../http/cancellation.ts'
import type { Target } from '../targets.ts'
import { type OrderedPlan, tryInOrder } from '../try-in-order.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { CallEnd } from './breaker.ts'
import type { ChatStream } from './chat-stream.ts'
import type { Upstreams } from './open-upstreams.ts'
import { reachVendor } from './reach-vendor.ts'
import { withPermit } from './with-permit.ts'
import { withRetry } from './with-retry.ts'

/** A model and the credential that it is called with. */
export type ChatAttempt = Pick<Attempt<ChatEntry>, 'entry' | 'target'>

export interface ChatReply {
  target: Target
  upstreamRequestId: string | null
  /** The whole answer, or the stream whose first chunk has arrived. */
  answer: ChatAnswer | undefined
  stream: ChatStream | undefined
}

export interface Plan<Each extends ChatAttempt> extends OrderedPlan<Each> {
  /** The account of the request; absent where only customers' own credentials are tried. */
  accountId?: string | undefined
  /**
   * The call to make; undefined where this attempt must be skipped. Throws where no further attempt may be
   * made, such as when the balance does not cover it.
   */
  prepare(attempt: Each): ChatCall | undefined | Promise<ChatCall | undefined>
  /**
   * Checks right before a call that it is still allowed. Absent where the request came without an API key.
   */
  gate?: CallGate<Each> | undefined
  /** Size of the client's body without its detached images, in bytes. */
  bodyBytes?: number | undefined
  /** The images that take the places of their stand-ins in what is sent to a vendor. */
  images?: DetachedTexts | undefined
  /** Cancelled when the client leaves. */
  cancellation: Cancellation
}

/** Checks that a vendor may still be called: before a connection is chosen, and again when it is ready. */
export interface CallGate<Each extends ChatAttempt> {
  /**
   * Checks the key and the credential. False where this attempt must be skipped: its credential was deleted
   * or disabled. Throws where no call may be made any more: the key was revoked. `isAgain` is whether the same call was
   * allowed before, and its connection was ready too late.
   */
  mayCall(attempt: Each, isAgain: boolean): boolean | Promise<boolean>
  /** Whether the last result of `mayCall` is recent enough to begin the call. */
  mayStart(): boolean
  /** Counts bytes of a long whole answer while it is read. Throws if the account exceeds its memory. */
  countAnswer?(attempt: Each, bytes: number): void
}

/**
 * Calls vendors, attempt by attempt, until one answers. Resolves when the whole answer, or the first chunk of
 * a stream, has arrived; before that nothing has reached the client, so the next attempt may be made.
 *
 * Throws what `tryInOrder` and `prepare` and the gate throw, Problem for what the requested model cannot do, and
 * `unavailable` if connections are ready too late for any call.
 */
export function callChat<Each extends ChatAttempt>(
  upstreams: Upstreams,
  plan: Plan<Each>,
): Promise<ChatReply> {
  const { accountId, cancellation } = plan
  upstreams.retries.earn(accountId)
  return tryInOrder(plan, attempt => {
    const known = { target: attempt.target, accountId, cancellation }
    return withRetry(upstreams.retries, known, () => tryOnce(upstreams, plan, attempt))
  })
}

/** Calls the vendor, unless its breaker is open, and reports how that ended. */
async function tryOnce<Each extends ChatAttempt>(
  upstreams: Upstreams,
  plan: Plan<Each>,
  attempt: Each,
): Promise<ChatReply | undefined> {
  const startedAt = performance.now()
  const report = (failure: UpstreamFailure | undefined) =>
    plan.onTry?.(attempt, { durationMs: performance.now() - startedAt, failure })
  try {
    const prepared = plan.prepare(attempt)
    const call = prepared instanceof Promise ? await prepared : prepared
    if (!call) return undefined
    const { accountId } = plan
    const reply = await withPermit(
      upstreams.breakers,
      { target: attempt.target, accountId },
      { run: () => reachVendor(upstreams, { plan, attempt, call }), endOf: error => callEndOf(error, call) },
    )
    if (reply) report(undefined)
    return reply
  } catch (error) {
    if (error instanceof UpstreamFailure && error.kind !== 'aborted') report(error.redactFor(attempt.target))
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
