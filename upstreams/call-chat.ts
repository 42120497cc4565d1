import type { Dispatcher } from 'undici'
import type { ChatEntry } from '../schema/catalog/entry.ts'
import { Problem } from '../schema/errors.ts'
import { adapters } from './adapters.ts'
import type { ChatAnswer, ChatCall, Target } from './chat-adapter.ts'
import { type ChatStream, openChatStream } from './chat-stream.ts'
import { exchange, type Timeouts, type UpstreamAnswer } from './http/exchange.ts'
import type { Line } from './http/line.ts'
import { openOutside } from './outside.ts'
import type { Breakers, CallEnd } from './reliability/breaker.ts'
import type { RetryBudget } from './reliability/retry-budget.ts'
import { UpstreamFailure } from './upstream-failure.ts'
import type { TokenBook } from './vertex/read-token.ts'

/** What is needed to reach vendors. */
export interface Upstreams {
  /** To where the operator leads. */
  dispatcher: Dispatcher
  /** To where a customer leads: public addresses only. */
  guarded: Dispatcher
  tokens: TokenBook
  timeouts: Timeouts
  breakers: Breakers
  retries: RetryBudget
}

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
  /** In the order in which they are tried. */
  attempts: Way[]
  /**
   * The call to make, or none where the attempt is not to be made any more. Throws where no further one may be,
   * such as for want of money.
   */
  prepare(attempt: Way): Promise<ChatCall | undefined>
  /**
   * Asked right before the vendor is reached. Throws where that may not be any more: the key was revoked. Absent
   * where no key is behind the call.
   */
  mayCall?: (() => Promise<void>) | undefined
  /** Told of each try's end; the failure, or nothing for a success. */
  ended(attempt: Way, failure: UpstreamFailure | undefined): void
  /** Cut when the client leaves. */
  line: Line
}

/** Whole answers longer than this are no answers. */
const answerLimitBytes = 64 << 20

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
 * `mayCall` throw.
 */
export async function callChat<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
): Promise<ChatReply> {
  const asked = plan.attempts[0]?.entry
  let failure: UpstreamFailure | undefined
  upstreams.retries.earn()
  for (const attempt of plan.attempts) {
    const isFallback = attempt.entry !== asked
    try {
      const reply = await tryWithRetry(upstreams, plan, attempt)
      if (!reply) continue
      plan.ended(attempt, undefined)
      return reply
    } catch (error) {
      if (isFallback && error instanceof Problem && error.status === 400) continue
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
    if (waitMs > longestWaitMs || !upstreams.retries.spend()) throw error
    await plan.line.pause(waitMs)
    if (plan.line.isCut) throw new UpstreamFailure('aborted')
    return tryOnce(upstreams, plan, attempt)
  }
}

async function tryOnce<Way extends Attempt>(
  upstreams: Upstreams,
  plan: Plan<Way>,
  attempt: Way,
): Promise<ChatReply | undefined> {
  const { breakers } = upstreams
  const name = `${attempt.target.vendor} ${attempt.target.byokId ?? 'platform'}`
  const call = await plan.prepare(attempt)
  if (!call) return undefined
  const leave = breakers.ask(name)
  if (leave.waitMs > 0) {
    throw new UpstreamFailure('resting', {
      message: 'it failed again and again and was not called',
      retryAfterSeconds: Math.ceil(leave.waitMs / 1000),
    })
  }
  try {
    const reply = await reach(upstreams, plan, attempt, call)
    breakers.tell(leave, 'succeeded')
    return reply
  } catch (error) {
    breakers.tell(leave, endOf(error))
    throw error
  }
}

/** What an error tells of the vendor: a wrong request was answered well; what is no failure of a call tells nothing. */
function endOf(error: unknown): CallEnd {
  if (!(error instanceof UpstreamFailure) || error.kind === 'aborted') return 'untold'
  return error.kind === 'request' ? 'succeeded' : 'failed'
}

async function reach<Way extends Attempt>(
  upstreams: Upstreams,
  { line, mayCall }: Plan<Way>,
  attempt: Way,
  call: ChatCall,
): Promise<ChatReply> {
  const adapter = adapters[attempt.entry.upstream.adapter]
  if (!adapter)
    throw new UpstreamFailure('broken', { message: `no adapter ${attempt.entry.upstream.adapter}` })
  const { target } = attempt
  const outside = openOutside(upstreams, line)
  const request = await adapter.buildRequest(call, target, outside)
  const timeouts = { ...upstreams.timeouts, ...timeoutsOf(attempt.entry) }
  const dispatcher = target.byokId ? upstreams.guarded : upstreams.dispatcher
  await mayCall?.()
  const reached = await exchange(dispatcher, request, { timeouts, line })
  const { status, headers, bytes } = reached
  if (status === 401) outside.forgetToken()
  if (status !== 200) throw adapter.readFailure(status, headers, await bytes.readAll(1 << 20), call)
  const reply = { target, upstreamRequestId: requestIdOf(reached), answer: undefined, stream: undefined }
  if (call.request.stream)
    return { ...reply, stream: await openChatStream(adapter.openTranslator(call, target), bytes, target) }
  return { ...reply, answer: adapter.readAnswer(await bytes.readAll(answerLimitBytes), call, target) }
}

function timeoutsOf({ timeouts }: ChatEntry): Partial<Timeouts> {
  return {
    ...(timeouts?.first_byte_ms && { firstByteMs: timeouts.first_byte_ms }),
    ...(timeouts?.idle_ms && { idleMs: timeouts.idle_ms }),
    ...(timeouts?.total_ms && { totalMs: timeouts.total_ms }),
  }
}

function requestIdOf({ headers }: UpstreamAnswer): string | null {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-amzn-requestid']
  return typeof id === 'string' ? id : null
}
