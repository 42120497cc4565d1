import { attachTexts } from '../../platform/json/detached-texts.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import { largeAnswerBytes, type VendorThread } from '../beside/vendor-thread.ts'
import type { ChatAdapter, ChatAnswer, ChatCall } from '../chat-adapter.ts'
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
import { type StartOptions, startCall } from './start-call.ts'

/** Maximum number of bytes that are read of an error response. */
export const maxFailureBytes = 65_536

/** Size of a client's body up to which the vendor's body is printed on the event loop, in bytes. */
const smallBodyBytes = 131_072

interface VendorCall<Each extends ChatAttempt> {
  plan: Plan<Each>
  attempt: Each
  call: ChatCall
  /** Whether the parts of the request that the vendor refused were removed. */
  isReduced?: boolean
}

/**
 * Calls a vendor, and once more without the parts of the request that the vendor refused. Resolves to the whole answer,
 * or to the stream once its first chunk has arrived, or to undefined if the gate skips the attempt. Throws
 * UpstreamFailure, Problem if the model does not support the request, the errors of the gate, and `unavailable` if
 * connections are always ready too late.
 */
export async function reachVendor<Each extends ChatAttempt>(
  upstreams: Upstreams,
  { plan, attempt, call, isReduced = false }: VendorCall<Each>,
): Promise<ChatReply | undefined> {
  const { entry, target } = attempt
  const adapter = adapterOf(entry, target)
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
  const { dispatcher, usualLimits } = connectionOf(upstreams, target)
  const limits = limitsFor(usualLimits, adapter.expectedSize?.(call))
  const options = startOptions(upstreams, { plan, attempt, call, limits })
  const answer = await startCall(dispatcher, request, options)
  if (!answer) return undefined
  if (answer.status === 401) services.forgetToken()
  try {
    const reading = readReply(adapter, answer, {
      ...{ target, call, limits, thread: upstreams.thread },
      count: bytes => plan.gate?.countAnswer?.(attempt, bytes),
    })
    return reading instanceof Promise ? await reading : reading
  } catch (error) {
    answer.bytes.stop()
    // A customer's own credential is tried once.
    const reduced = target.byokId || isReduced ? undefined : withoutRefused(adapter, error, call)
    if (!reduced) throw error
    return reachVendor(upstreams, { plan, attempt, call: reduced, isReduced: true })
  }
}

/** Returns the call without the parts that the vendor refused, if they are optional. */
function withoutRefused(adapter: ChatAdapter, error: unknown, call: ChatCall): ChatCall | undefined {
  if (!(error instanceof UpstreamFailure) || error.kind !== 'request') return undefined
  return adapter.withoutRefused?.(error, call)
}

function startOptions<Each extends ChatAttempt>(
  { timeouts }: Upstreams,
  { plan, attempt, call, limits }: VendorCall<Each> & { limits: AnswerLimits },
): StartOptions {
  const { gate, cancellation } = plan
  return {
    timeouts: timeoutsOf(timeouts, attempt.entry, call),
    limitBytes: call.request.stream ? limits.streamBytes : limits.wholeBytes,
    cancellation,
    mayCall: gate && (isAgain => gate.mayCall(attempt, isAgain)),
    mayStart: gate?.mayStart,
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
  count(bytes: number): void
}

/**
 * Reads the whole answer, or opens the stream and waits for its first chunk. Does not wait if the whole answer has
 * arrived. Throws UpstreamFailure.
 */
function readReply(
  adapter: ChatAdapter,
  answer: UpstreamAnswer,
  reading: Reading,
): ChatReply | Promise<ChatReply> {
  const { call, count } = reading
  if (answer.status !== 200) return readFailure(adapter, answer, call)
  if (call.request.stream) return openStream(adapter, answer, reading)
  const body = answer.bytes.readAll(count)
  const upstreamRequestId = requestIdOf(answer)
  return body instanceof Promise
    ? body.then(arrived => readWhole(adapter, arrived, { ...reading, upstreamRequestId }))
    : readWhole(adapter, body, { ...reading, upstreamRequestId })
}

async function readFailure(
  adapter: ChatAdapter,
  { status, headers, bytes }: UpstreamAnswer,
  call: ChatCall,
): Promise<never> {
  throw adapter.readFailure(status, headers, await bytes.readStart(maxFailureBytes), call)
}

async function openStream(
  adapter: ChatAdapter,
  answer: UpstreamAnswer,
  { target, call, limits }: Reading,
): Promise<ChatReply> {
  const translator = adapter.openTranslator(call, target)
  const stream = await openChatStream(translator, answer, target, limits.eventCharacters)
  return { target, upstreamRequestId: requestIdOf(answer), answer: undefined, stream }
}

function readWhole(
  adapter: ChatAdapter,
  body: Buffer,
  { target, call, limits, thread, upstreamRequestId }: Reading & Pick<ChatReply, 'upstreamRequestId'>,
): ChatReply | Promise<ChatReply> {
  const reply = (answer: ChatAnswer) => ({ target, upstreamRequestId, answer, stream: undefined })
  if (body.length > largeAnswerBytes && adapter.readBeside)
    return adapter.readBeside(body, call, { thread, maxValues: limits.values }).then(reply)
  checkValues(body, limits.values)
  return reply(adapter.readAnswer(body, call, target))
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
