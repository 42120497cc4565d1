import type { DetachedTexts } from '../../platform/json/detached-texts.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Attempt } from '../attempts.ts'
import type { ChatAnswer, ChatCall } from '../chat-adapter.ts'
import type { Cancellation } from '../http/cancellation.ts'
import type { Target } from '../targets.ts'
import { type OrderedPlan, tryInOrder } from '../try-in-order.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { awaitRetry } from './await-retry.ts'
import type { CallEnd } from './breaker.ts'
import { endFailedCall, permitCall } from './call-permit.ts'
import type { ChatStream } from './chat-stream.ts'
import type { Upstreams } from './open-upstreams.ts'
import { reachVendor } from './reach-vendor.ts'

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
  upstreams.retries.earn(plan.accountId)
  return tryInOrder(plan, attempt => callOrRetry(upstreams, plan, { attempt, isRetry: false }))
}

/** Calls the vendor unless its breaker is open, and reports how the call ended. Retries a failed call once. */
async function callOrRetry<Each extends ChatAttempt>(
  upstreams: Upstreams,
  plan: Plan<Each>,
  { attempt, isRetry }: { attempt: Each; isRetry: boolean },
): Promise<ChatReply | undefined> {
  const { target } = attempt
  const { accountId, cancellation } = plan
  const startedAt = performance.now()
  let calledAt = startedAt
  try {
    const prepared = plan.prepare(attempt)
    const call = prepared instanceof Promise ? await prepared : prepared
    if (!call) return undefined
    const permit = permitCall(upstreams.breakers, { target, accountId })
    calledAt = performance.now()
    let reply: ChatReply | undefined
    try {
      reply = await reachVendor(upstreams, { plan, attempt, call })
    } catch (error) {
      endFailedCall(upstreams.breakers, permit, { target, error, end: callEndOf(error, call) })
      throw error
    }
    upstreams.breakers.record(permit, reply ? 'succeeded' : 'not-counted')
    if (reply) report(upstreams, plan, { attempt, startedAt, calledAt, failure: undefined })
    return reply
  } catch (error) {
    if (error instanceof UpstreamFailure && error.kind !== 'aborted')
      report(upstreams, plan, { attempt, startedAt, calledAt, failure: error.redactFor(target) })
    if (isRetry) throw error
    await awaitRetry(upstreams.retries, error, { target, accountId, cancellation })
  }
  return callOrRetry(upstreams, plan, { attempt, isRetry: true })
}

/** Reports the end of a try, which began with its preparation, and counts the call to the vendor in it. */
function report<Each extends ChatAttempt>(
  { metrics }: Upstreams,
  { onTry }: Plan<Each>,
  tried: { attempt: Each; startedAt: number; calledAt: number; failure: UpstreamFailure | undefined },
): void {
  const { attempt, startedAt, calledAt, failure } = tried
  const now = performance.now()
  metrics.count(attempt.target, { durationMs: now - calledAt, failure })
  onTry?.(attempt, { durationMs: now - startedAt, failure })
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
