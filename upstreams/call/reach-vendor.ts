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

/** So often a call is begun whose connection takes too long to be ready. */
const mostStarts = 8

/** What a vendor says of a failure is read so far. */
const mostFailureBytes = 65_536

interface VendorCall<Way extends Attempt> {
  plan: Plan<Way>
  attempt: Way
  call: ChatCall
  /** The vendor refused something that the call could do without, and was asked once more. */
  hasRelented?: boolean
}

/**
 * Makes one call to a vendor: request out, and back the whole answer, or the stream with its first chunk. Undefined
 * where the attempt is not to be made any more. Throws UpstreamFailure, Problem for what the model cannot do, and what
 * the gate throws; `unavailable` where connections take so long that no call can begin.
 */
export async function reachVendor<Way extends Attempt>(
  upstreams: Upstreams,
  { plan, attempt, call, hasRelented = false }: VendorCall<Way>,
): Promise<ChatReply | undefined> {
  const { entry, target } = attempt
  const adapter = adapterOf(entry, target)
  const services = openAdapterServices(upstreams, plan.cancellation)
  const request = await adapter.buildRequest(call, target, services)
  const timeouts = timeoutsOf(upstreams.timeouts, entry, call)
  const limits = target.byokId ? upstreams.limits.own : upstreams.limits.platform
  const limitBytes = call.request.stream ? limits.streamBytes : limits.wholeBytes
  const dispatcher = target.byokId ? upstreams.guarded : upstreams.dispatcher
  const reached = await start(dispatcher, request, { timeouts, limitBytes, plan, attempt })
  if (!reached) return undefined
  if (reached.status === 401) services.forgetToken()
  try {
    return await readReply(adapter, reached, { target, call, limits })
  } catch (error) {
    reached.bytes.stop()
    // A customer's credential is tried once (contract: BYOK).
    const mayRelent = !hasRelented && !target.byokId
    const milder =
      mayRelent && error instanceof UpstreamFailure && error.kind === 'request'
        ? adapter.withoutRefused?.(error, call)
        : undefined
    if (!milder) throw error
    return reachVendor(upstreams, { plan, attempt, call: milder, hasRelented: true })
  }
}

/** The whole answer, or the stream with its first chunk. Throws UpstreamFailure. */
async function readReply(
  adapter: ChatAdapter,
  reached: UpstreamAnswer,
  { target, call, limits }: { target: Target; call: ChatCall; limits: AnswerLimits },
): Promise<ChatReply> {
  const { status, headers, bytes } = reached
  if (status !== 200)
    throw adapter.readFailure(status, headers, await bytes.readStart(mostFailureBytes), call)
  const reply = { target, upstreamRequestId: requestIdOf(reached), answer: undefined, stream: undefined }
  if (call.request.stream) {
    const translator = adapter.openTranslator(call, target)
    return { ...reply, stream: await openChatStream(translator, reached, target, limits.eventCharacters) }
  }
  const body = await bytes.readAll()
  checkValues(body, limits.values)
  return { ...reply, answer: adapter.readAnswer(body, call, target) }
}

/**
 * Sends the request while its gate is open: where the connection was ready too late, the gate is asked again and the
 * request goes out on the connection that is there now. Undefined where the attempt is not to be made any more.
 */
async function start<Way extends Attempt>(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
  given: { timeouts: Timeouts; limitBytes: number; plan: Plan<Way>; attempt: Way },
): Promise<UpstreamAnswer | undefined> {
  const { timeouts, limitBytes, plan, attempt } = given
  const { gate, cancellation } = plan
  for (let starts = 0; starts < mostStarts; starts++) {
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

/** A whole answer says nothing before it is made: it has the time of the whole. */
function timeoutsOf(own: Timeouts, { timeouts }: ChatEntry, { request }: ChatCall): Timeouts {
  const totalMs = timeouts?.total_ms ?? own.totalMs
  if (!request.stream) return { firstByteMs: totalMs, idleMs: totalMs, totalMs }
  const firstByteMs = timeouts?.first_byte_ms ?? own.firstByteMs
  return { firstByteMs, idleMs: timeouts?.idle_ms ?? own.idleMs, totalMs }
}

function requestIdOf({ headers }: UpstreamAnswer): string | null {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-amzn-requestid']
  return typeof id === 'string' ? id : null
}
