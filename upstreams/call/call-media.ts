import type { AdapterServices, HttpRequest } from '../chat-adapter.ts'
import { failedState } from '../formats/shared/generation-faults.ts'
import type { Cancellation } from '../http/cancellation.ts'
import type { Timeouts, UpstreamAnswer } from '../http/exchange.ts'
import type { MediaAdapter, MediaAnswer, MediaCall, MediaState, UpstreamTask } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openAdapterServices } from './adapter-services.ts'
import { awaitRetry } from './await-retry.ts'
import type { CallEnd } from './breaker.ts'
import { endFailedCall, permitCall } from './call-permit.ts'
import { answersAtOnce, mediaAdapterOf } from './media-adapters.ts'
import { openMediaAnswer } from './media-answer.ts'
import { boundState } from './media-state.ts'
import { shortTimeouts, submitTimeouts } from './media-timeouts.ts'
import { connectionOf, type Upstreams } from './open-upstreams.ts'
import { maxFailureBytes } from './reach-vendor.ts'
import { startCall } from './start-call.ts'

/** A call about one generation, with one credential. */
export interface MediaOptions {
  call: MediaCall
  target: Target
  /** The account that requested the generation. Its circuit breaker and retry budget apply. */
  accountId?: string | undefined
  /** Cancels this call only. Concurrent calls need one fork each. */
  cancellation: Cancellation
  /** Counts bytes of a long answer while it is read. Throws if the account exceeds its memory. */
  countAnswer?: ((bytes: number) => void) | undefined
}

export interface SubmitOptions extends MediaOptions {
  /** The same for every attempt to submit one generation. Sent if the vendor honours it. */
  idempotencyKey: string
  /** Throws if the call must not be made. Called before the call, and with true again if its connection took long. */
  mayCall?: ((isAgain: boolean) => Promise<void>) | undefined
  /** Whether the last permission is recent enough, asked when the connection is ready. */
  mayStart?: (() => boolean) | undefined
}

export interface PollOptions extends MediaOptions {
  upstream: UpstreamTask
  /** Whether a client waits for the generation in an open request. */
  isAwaited?: boolean | undefined
}

/**
 * Submits a generation. Resolves when the vendor has accepted it (`running`). With formats that respond with the
 * result, resolves when it is made (`done`, perhaps with a stream to read) or refused (`failed`).
 *
 * With the platform's credential, the submit is retried once if the vendor is busy or reports a failure. If the
 * connection breaks, the vendor may have begun, so the submit is retried only if the vendor honours idempotency keys.
 *
 * Throws UpstreamFailure with secrets redacted, Problem if the model does not support the request, and the errors of
 * `mayCall`.
 */
export function submitMedia(upstreams: Upstreams, options: SubmitOptions): Promise<MediaState> {
  const { call, target, idempotencyKey, accountId, cancellation } = options
  const header = call.entry.generation.idempotency_header?.toLowerCase()
  const adapter = mediaAdapterOf(call.entry, target)
  upstreams.retries.earn(accountId)
  return redacting(target, async () => {
    const services = openAdapterServices(upstreams, { cancellation, accountId: options.accountId })
    const built = await adapter.buildSubmit(call, target, services)
    const request = header ? { ...built, headers: { ...built.headers, [header]: idempotencyKey } } : built
    const submit = () =>
      callVendor(upstreams, options, {
        adapter,
        request,
        services,
        timeouts: submitTimeouts(upstreams.timeouts, call.entry, target),
        read: answer => adapter.readSubmit(answer, call, target),
      })
    const state = await submit().catch(async error => {
      const hasAnswered = error instanceof UpstreamFailure && error.details.status !== undefined
      const mayRepeat = header !== undefined || hasAnswered
      await awaitRetry(upstreams.retries, error, { target, accountId, cancellation, mayRepeat })
      return submit()
    })
    return boundState(state, target)
  })
}

/**
 * Number of polls in a row that the vendor must answer with 404 before a generation is lost, and the time between two
 * of them. An outage of minutes therefore loses no task.
 */
const unknownTask = { maxPolls: 6, pollAfterMs: 30_000 }

/** The same for a generation for which a client waits. It is polled at its model's interval. */
const unknownAwaited = { maxPolls: 3, pollAfterMs: undefined }

/** Maximum number of requests in one poll: some vendors serve the result at a different address than the state. */
const maxSteps = 3

/**
 * Polls a generation. If the vendor does not know it (404), it counts as running: replicas of a vendor may lag. After
 * six such answers in a row (three if a client waits), or one 410, it has failed with `upstream_lost`. It has also
 * failed if the vendor refuses the poll as invalid: some vendors report a failure only at the address of the result.
 * Throws UpstreamFailure with secrets redacted if the call failed; the generation may go on.
 */
export function pollMedia(upstreams: Upstreams, options: PollOptions): Promise<MediaState> {
  const { call, target, cancellation, isAwaited } = options
  const adapter = mediaAdapterOf(call.entry, target)
  const { maxPolls, pollAfterMs } = isAwaited ? unknownAwaited : unknownTask
  const poll = async (task: UpstreamTask, steps: number): Promise<MediaState> => {
    const { buildPoll, readPoll } = adapter
    if (!buildPoll || !readPoll) return lost
    const services = openAdapterServices(upstreams, { cancellation, accountId: options.accountId })
    const known = { upstream: task, call, target }
    const read = await callVendor(upstreams, options, {
      adapter,
      request: await buildPoll(known, services),
      services,
      timeouts: shortTimeouts(upstreams.timeouts),
      read: answer => readPoll(answer, known),
    })
    const state = boundState(read, target)
    const isNext = state.status === 'running' && state.pollAfterMs === 0 && steps < maxSteps
    return isNext ? poll(state.upstream, steps + 1) : state
  }
  const { unknownPolls = 0, ...upstream } = options.upstream
  return redacting(target, async () => {
    try {
      return await poll(upstream, 1)
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      if (error.details.status === 404 && unknownPolls + 1 < maxPolls)
        return { status: 'running', upstream: { ...upstream, unknownPolls: unknownPolls + 1 }, pollAfterMs }
      const failed = stateAfter(error)
      if (!failed) throw error
      return boundState(failed, target)
    }
  })
}

/** Returns the state of a generation whose poll failed, if that shows that it has failed. */
function stateAfter(failure: UpstreamFailure): MediaState | undefined {
  if (isUnknown(failure)) return lost
  const { status, code } = failure.details
  return failure.kind === 'request' && status !== notYet ? failedState(code, failure.message) : undefined
}

/** The status with which some vendors report that a generation has not ended. */
const notYet = 409

const lost: MediaState = {
  status: 'failed',
  code: 'upstream_lost',
  message: 'The vendor no longer knows this generation.',
}

function isUnknown({ details }: UpstreamFailure): boolean {
  return details.status === 404 || details.status === 410
}

/** Maximum time in which an unread response ends before its connection is closed, in milliseconds. */
const lingerMs = 500

/** Statuses of a vendor that cannot cancel, or can no longer cancel. */
const refusals = new Set([400, 404, 405, 409, 410, 422])

/**
 * Asks the vendor to cancel a generation. Resolves to false if the vendor cannot cancel, or if it is too late. Throws
 * UpstreamFailure with secrets redacted.
 */
export async function cancelMedia(upstreams: Upstreams, options: PollOptions): Promise<boolean> {
  const { call, target, upstream, cancellation } = options
  const adapter = mediaAdapterOf(call.entry, target)
  const { buildCancel } = adapter
  if (!call.entry.generation.cancellable || !buildCancel) return false
  return redacting(target, async () => {
    const services = openAdapterServices(upstreams, { cancellation, accountId: options.accountId })
    try {
      await callVendor(upstreams, options, {
        adapter,
        request: await buildCancel({ upstream, call, target }, services),
        services,
        timeouts: shortTimeouts(upstreams.timeouts),
        read: async (_, { discardRest }) => discardRest(lingerMs),
      })
      return true
    } catch (error) {
      if (error instanceof UpstreamFailure && refusals.has(error.details.status ?? 0)) return false
      throw error
    }
  })
}

interface Question<Read> {
  adapter: MediaAdapter
  request: HttpRequest
  services: AdapterServices
  timeouts: Timeouts
  read(answer: MediaAnswer, exchanged: UpstreamAnswer): Promise<Read>
}

/** Makes one call, unless the breaker is open, and reads its answer. */
async function callVendor<Read>(
  upstreams: Upstreams,
  options: CheckedOptions,
  question: Question<Read>,
): Promise<Read> {
  const { breakers } = upstreams
  const { target } = options
  const permit = permitCall(breakers, options)
  const calledAt = performance.now()
  const count = (failure: UpstreamFailure | undefined) =>
    upstreams.metrics.count(target, { durationMs: performance.now() - calledAt, failure })
  try {
    const read = await askVendor(upstreams, options, question)
    breakers.record(permit, 'succeeded')
    count(undefined)
    return read
  } catch (error) {
    if (error instanceof UpstreamFailure) count(error)
    endFailedCall(breakers, permit, { target, error, end: callEndOf(error, options) })
    throw error
  }
}

type CheckedOptions = MediaOptions & Partial<Pick<SubmitOptions, 'mayCall' | 'mayStart'>>

async function askVendor<Read>(
  upstreams: Upstreams,
  options: CheckedOptions,
  question: Question<Read>,
): Promise<Read> {
  const { target, cancellation, mayCall, mayStart } = options
  const { dispatcher, usualLimits: limits } = connectionOf(upstreams, target)
  const { adapter, request, services, timeouts } = question
  const limitBytes = answersAtOnce(options.call.entry) ? limits.mediaBytes : limits.wholeBytes
  const answer = await startCall(dispatcher, request, {
    timeouts,
    limitBytes,
    cancellation,
    mayCall: mayCall && (isAgain => mayCall(isAgain).then(() => true)),
    mayStart,
  })
  if (!answer) throw new UpstreamFailure('aborted')
  const { status, headers, bytes } = answer
  if (status === 401) services.forgetToken()
  try {
    if (status >= 200 && status < 300)
      return await question.read(
        openMediaAnswer(answer, {
          ...{ maxValues: limits.values, thread: upstreams.thread },
          count: options.countAnswer,
        }),
        answer,
      )
    throw adapter.readFailure(status, headers, await bytes.readStart(maxFailureBytes), options.call)
  } catch (error) {
    bytes.stop()
    throw error
  }
}

/**
 * Returns how an error counts for the breaker. A vendor that refuses a request or no longer knows a generation works. A
 * generation that exceeds our own time limit does not count.
 */
function callEndOf(error: unknown, options: MediaOptions | PollOptions): CallEnd {
  if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') return 'not-counted'
  const isOwnLimit = error.kind === 'timeout' && error.details.status === undefined
  if (isOwnLimit && answersAtOnce(options.call.entry)) return 'not-counted'
  return error.kind === 'request' || ('upstream' in options && isUnknown(error)) ? 'succeeded' : 'failed'
}

async function redacting<Result>(target: Target, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof UpstreamFailure ? error.redactFor(target) : error
  }
}
