import { attachTexts } from '../../platform/json/detached-texts.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import { largeAnswerBytes, type VendorThread } from '../beside/vendor-thread.ts'
import type { ChatAdapter, ChatCall } from '../chat-adapter.ts'
import { checkValues } from '../formats/shared/values.ts'
import type { Timeouts, UpstreamAnswer } from '../http/exchange.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openAdapterServices } from './adapter-services.ts'
import { adapterOf } from './adapters.ts'
import { type AnswerLimits, limitsFor } from './answer-limits.ts'
import type { ChatAttempt, ChatReply, Plan } from './call-chat.ts'
import { openChatStream } from './chat-stream.ts'
import { connectionOf, type Upstreams } from './open-upstreams.ts'
import { startCall } from './start-call.ts'

/** Maximum number of bytes that are read of an error response. */
export const maxFailureBytes = 65_536

/** Size of a client's body up to which the vendor's body is printed on the event loop, in bytes. */
const smallBodyBytes = 131_072

interface VendorCall<Each extends ChatAttempt> {
  plan: Plan<Each>
  attempt: Each
  call: ChatCall
}

/**
 * Calls a vendor, and once more without the parts of the request that the vendor refused. Resolves to the whole answer,
 * or to the stream once its first chunk has arrived, or to undefined if the gate skips the attempt. Throws
 * UpstreamFailure, Problem if the model does not support the request, the errors of the gate, and `unavailable` if
 * connections are always ready too late.
 */
export function reachVendor<Each extends ChatAttempt>(
  upstreams: Upstreams,
  { plan, attempt, call }: VendorCall<Each>,
): Promise<ChatReply | undefined> {
  const { entry, target } = attempt
  const adapter = adapterOf(entry, target)
  return callOnce(upstreams, adapter, { plan, attempt, call }).catch(error => {
    // A customer's own credential is tried once.
    const reduced = target.byokId ? undefined : withoutRefused(adapter, error, call)
    if (!reduced) throw error
    return callOnce(upstreams, adapter, { plan, attempt, call: reduced })
  })
}

/** Returns the call without the parts that the vendor refused, if they are optional. */
function withoutRefused(adapter: ChatAdapter, error: unknown, call: ChatCall): ChatCall | undefined {
  if (!(error instanceof UpstreamFailure) || error.kind !== 'request') return undefined
  return adapter.withoutRefused?.(error, call)
}

async function callOnce<Each extends ChatAttempt>(
  upstreams: Upstreams,
  adapter: ChatAdapter,
  { plan, attempt, call }: VendorCall<Each>,
): Promise<ChatReply | undefined> {
  const { entry, target } = attempt
  const services = openAdapterServices(upstreams, plan)
  const built = adapter.buildRequest(call, target, services)
  const { body, ...head } = built instanceof Promise ? await built : built
  const isLarge = (plan.bodyBytes ?? 0) > smallBodyBytes || services.hasFetched
  const printing = printBody(upstreams, body, { isLarge })
  const printed = printing instanceof Promise ? await printing : printing
  const request = {
    ...head,
    body: plan.images ? await attachTexts(printed, plan.images) : printed,
  }
  const timeouts = timeoutsOf(upstreams.timeouts, entry, call)
  const { dispatcher, usualLimits } = connectionOf(upstreams, target)
  const limits = limitsFor(usualLimits, adapter.expectedSize?.(call))
  const limitBytes = call.request.stream ? limits.streamBytes : limits.wholeBytes
  const { gate, cancellation } = plan
  const answer = await startCall(dispatcher, request, {
    timeouts,
    limitBytes,
    cancellation,
    mayCall: gate && (isAgain => gate.mayCall(attempt, isAgain)),
    mayStart: gate?.mayStart,
  })
  if (!answer) return undefined
  if (answer.status === 401) services.forgetToken()
  try {
    return await readReply(adapter, answer, {
      ...{ target, call, limits, thread: upstreams.thread },
      count: gate?.countAnswer && (bytes => gate.countAnswer?.(attempt, bytes)),
    })
  } catch (error) {
    answer.bytes.stop()
    throw error
  }
}

/** Prints the body of a request. A large body is printed beside the event loop. */
function printBody(
  { thread }: Upstreams,
  body: object | string,
  { isLarge }: { isLarge: boolean },
): string | Promise<Buffer> {
  if (typeof body === 'string') return body
  return isLarge ? thread.print(body) : JSON.stringify(body)
}

interface Reading {
  target: Target
  call: ChatCall
  limits: AnswerLimits
  thread: VendorThread
  /** Counts the bytes of a long answer as they arrive. */
  count: ((bytes: number) => void) | undefined
}

/** Reads the whole answer, or opens the stream and waits for its first chunk. Throws UpstreamFailure. */
async function readReply(
  adapter: ChatAdapter,
  answer: UpstreamAnswer,
  { target, call, limits, thread, count }: Reading,
): Promise<ChatReply> {
  const { status, headers, bytes } = answer
  if (status !== 200) throw adapter.readFailure(status, headers, await bytes.readStart(maxFailureBytes), call)
  const upstreamRequestId = requestIdOf(answer)
  if (call.request.stream) {
    const translator = adapter.openTranslator(call, target)
    const stream = await openChatStream(translator, answer, target, limits.eventCharacters)
    return { target, upstreamRequestId, answer: undefined, stream }
  }
  const body = await bytes.readAll(count)
  if (body.length > largeAnswerBytes && adapter.readBeside) {
    const read = await adapter.readBeside(body, call, { thread, maxValues: limits.values })
    return { target, upstreamRequestId, answer: read, stream: undefined }
  }
  checkValues(body, limits.values)
  return { target, upstreamRequestId, answer: adapter.readAnswer(body, call, target), stream: undefined }
}

/**
 * Returns the timeouts of a call. A vendor sends no byte of a whole answer until it is complete, so only the total time
 * limits it. Models can set their own limits.
 */
function timeoutsOf(defaults: Timeouts, { timeouts }: ChatEntry, { request }: ChatCall): Timeouts {
  const totalMs = timeouts?.total_ms ?? defaults.totalMs
  if (!request.stream) return { firstByteMs: totalMs, idleMs: totalMs, totalMs }
  const firstByteMs = timeouts?.first_byte_ms ?? defaults.firstByteMs
  return { firstByteMs, idleMs: timeouts?.idle_ms ?? defaults.idleMs, totalMs }
}

function requestIdOf({ headers }: UpstreamAnswer): string | null {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-amzn-requestid']
  return typeof id === 'string' ? id : null
}
