import type { Dispatcher } from 'undici'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import type { ChatAdapter, ChatCall, UpstreamRequest } from '../chat-adapter.ts'
import { exchange, StartedTooLate, type Timeouts, type UpstreamAnswer } from '../http/exchange.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openAdapterServices } from './adapter-services.ts'
import { adapterOf } from './adapters.ts'
import { type AnswerLimits, checkValues } from './answer-limits.ts'
import type { Attempt, ChatReply, Plan } from './call-chat.ts'
import { openChatStream } from './chat-stream.ts'
import type { Upstreams } from './open-upstreams.ts'

/** How often a call is started anew because its connection was ready too late. */
const maxStarts = 8

/** Of an answer with an error status no more than this is read. */
const maxFailureBytes = 65_536

interface VendorCall<Way extends Attempt> {
  plan: Plan<Way>
  attempt: Way
  call: ChatCall
  /** Whether this is the second request, without what the vendor refused in the first. */
  isReduced?: boolean
}

/**
 * Makes one call to a vendor. Resolves with the whole answer, or with the stream once its first chunk has
 * arrived; undefined where the gate skips the attempt. Throws UpstreamFailure, Problem for what the model
 * cannot do, and what the gate throws; `unavailable` where connections take so long that no call can begin.
 */
export async function reachVendor<Way extends Attempt>(
  upstreams: Upstreams,
  { plan, attempt, call, isReduced = false }: VendorCall<Way>,
): Promise<ChatReply | undefined> {
  const { entry, target } = attempt
  const adapter = adapterOf(entry, target)
  const services = openAdapterServices(upstreams, plan.cancellation)
  const request = await adapter.buildRequest(call, target, services)
  const timeouts = timeoutsOf(upstreams.timeouts, entry, call)
  const limits = target.byokId ? upstreams.limits.own : upstreams.limits.platform
  const limitBytes = call.request.stream ? limits.streamBytes : limits.wholeBytes
  const dispatcher = target.byokId ? upstreams.guarded : upstreams.dispatcher
  const answer = await start(dispatcher, request, { timeouts, limitBytes, plan, attempt })
  if (!answer) return undefined
  if (answer.status === 401) services.forgetToken()
  try {
    return await readReply(adapter, answer, { target, call, limits })
  } catch (error) {
    answer.bytes.stop()
    // A customer's own credential is tried once.
    const mayReduce = !isReduced && !target.byokId
    const reduced =
      mayReduce && error instanceof UpstreamFailure && error.kind === 'request'
        ? adapter.withoutRefused?.(error, call)
        : undefined
    if (!reduced) throw error
    return reachVendor(upstreams, { plan, attempt, call: reduced, isReduced: true })
  }
}

/** The whole answer, or the stream with its first chunk. Throws UpstreamFailure. */
async function readReply(
  adapter: ChatAdapter,
  answer: UpstreamAnswer,
  { target, call, limits }: { target: Target; call: ChatCall; limits: AnswerLimits },
): Promise<ChatReply> {
  const { status, headers, bytes } = answer
  if (status !== 200) throw adapter.readFailure(status, headers, await bytes.readStart(maxFailureBytes), call)
  const reply = { target, upstreamRequestId: requestIdOf(answer), answer: undefined, stream: undefined }
  if (call.request.stream) {
    const translator = adapter.openTranslator(call, target)
    return { ...reply, stream: await openChatStream(translator, answer, target, limits.eventCharacters) }
  }
  const body = await bytes.readAll()
  checkValues(body, limits.values)
  return { ...reply, answer: adapter.readAnswer(body, call, target) }
}

/**
 * Sends the request after the gate has allowed it. Where the connection was ready only after that permission
 * had become too old, the gate is checked again and the request goes out on the connection that is open by
 * now. Undefined where the gate skips the attempt.
 */
async function start<Way extends Attempt>(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
  options: { timeouts: Timeouts; limitBytes: number; plan: Plan<Way>; attempt: Way },
): Promise<UpstreamAnswer | undefined> {
  const { timeouts, limitBytes, plan, attempt } = options
  const { gate, cancellation } = plan
  for (let starts = 0; starts < maxStarts; starts++) {
    if (gate && !(await gate.mayCall(attempt))) return undefined
    try {
      return await exchange(dispatcher, request, {
        timeouts,
        cancellation,
        limitBytes,
        mayStart: gate?.mayStart,
      })
    } catch (error) {
      if (!(error instanceof StartedTooLate)) throw error
    }
  }
  throw new Problem('unavailable', { retryAfterSeconds: 1, internal: 'connections are ready too late' })
}

/**
 * A whole answer is silent until it is complete, so only the total time limits it. Models may set their own
 * limits.
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
