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

/** A model and the credential with which it is called. */
export type ChatAttempt = Pick<Attempt<ChatEntry>, 'entry' | 'target'>

export interface ChatReply {
  target: Target
  upstreamRequestId: string | null
  /** The whole answer, or the stream whose first chunk has arrived. */
  answer: ChatAnswer | undefined
  stream: ChatStream | undefined
}

export interface Plan<Each extends ChatAttempt> extends OrderedPlan<Each> {
  /** The account of the request; absent if only customers' own credentials are tried. */
  accountId?: string | undefined
  /**
   * Returns the call to make, or undefined if this attempt must be skipped. Throws if no further attempt may be made,
   * for example if the balance does not cover it.
   */
  prepare(attempt: Each): ChatCall | undefined | Promise<ChatCall | undefined>
  /** Checks immediately before a call that it is still allowed. Absent if the request has no API key. */
  gate?: CallGate<Each> | undefined
  /** Size of the client's body without its detached images, in bytes. */
  bodyBytes?: number | undefined
  /** The images that replace their placeholders in the request to a vendor. */
  images?: DetachedTexts | undefined
  /** Cancelled when the client disconnects. */
  cancellation: Cancellation
}

/** Checks that a vendor may still be called: before a connection is chosen, and when it is ready. */
export interface CallGate<Each extends ChatAttempt> {
  /**
   * Checks the key and the credential. Resolves to false if this attempt must be skipped, because its credential was
   * deleted or disabled. Throws if no call may be made, because the key was revoked. `isAgain` is whether the same call
   * was allowed before, and its connection was ready too late.
   */
  mayCall(attempt: Each, isAgain: boolean): boolean | Promise<boolean>
  /** Whether the last result of `mayCall` is recent enough to begin the call. */
  mayStart(): boolean
  /** Counts bytes of a long whole answer while it is read. Throws if the account exceeds its memory. */
  countAnswer?(attempt: Each, bytes: number): void
}

/**
 * Calls vendors, attempt by attempt, until one answers. Resolves when the whole answer, or the first chunk of a stream,
 * has arrived. Until then, nothing was sent to the client, so the next attempt can be made.
 *
 * Throws the errors of `tryInOrder`, `prepare` and the gate, Problem if the requested model does not support the
 * request, and `unavailable` if connections are ready too late for any call.
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

/** Calls the vendor unless its breaker is open, and reports how the call ended. */
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
 * Returns how an error counts for the breaker. A vendor that refuses an invalid request works. Rubicon's own errors,
 * calls that the client aborted, and whole answers that exceeded Rubicon's time limit reveal nothing about the vendor.
 */
function callEndOf(error: unknown, { request }: ChatCall): CallEnd {
  if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') return 'not-counted'
  if (error.kind === 'timeout' && error.details.status === undefined && !request.stream) return 'not-counted'
  return error.kind === 'request' ? 'succeeded' : 'failed'
}
