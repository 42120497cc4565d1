import type { Context } from 'koa'
import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import type { Admission } from '../../domain/inference/admit-chat.ts'
import type { Produced } from '../../domain/inference/estimate-usage.ts'
import { type ChatOutcome, type Settled, settleChat } from '../../domain/inference/settle-chat.ts'
import { openTranscript } from '../../domain/inference/tokens/transcript.ts'
import type { AttemptRecord } from '../../domain/logs/request-log.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import { asProblem, Problem } from '../../schema/errors.ts'
import type { ChatReply } from '../../upstreams/call/call-chat.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { Conversation, Protocol } from '../protocols/protocol.ts'
import { ClientGone } from '../sse/client-stream.ts'
import type { WatchedClient } from '../sse/watch-client.ts'

/** One admitted chat request on its way to its settlement. */
export interface ChatRun {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The same moment on the monotonic clock. */
  begunAt: number
  route: Protocol['route']
  conversation: Conversation
  admission: Admission
  clientAddress: string
  /** The model that answers: the one asked for, until another has. */
  model: ChatModel
  reply: ChatReply | undefined
  /** Empty where the first attempt succeeds. */
  attempts: AttemptRecord[]
  firstByteMs: number | null
  /** What the answer has said so far, and when. */
  produced: Produced
  /** Something of the answer has been sent to the client. */
  hasReachedClient: boolean
  /** Called now and then while the vendor is silent: thoughts cost, too. */
  inSilence: (() => void) | undefined
  client: WatchedClient
  isSettled: boolean
  /** Keeps the whole answer before its last bytes leave; absent where the client sent no `Idempotency-Key`. */
  keep: OnceRequest['keep'] | undefined
}

export function openChatRun(
  ctx: Context,
  begun: Pick<ChatRun, 'route' | 'conversation' | 'admission' | 'keep' | 'client'>,
): ChatRun {
  const { request } = begun.conversation
  Object.assign(ctx.state.logLine, {
    model: request.model,
    streamed: request.stream === true,
  })
  return {
    ...begun,
    requestId: ctx.state.requestId,
    startedAt: ctx.state.startedAt,
    begunAt: ctx.state.begunAt,
    clientAddress: ctx.state.logLine.clientAddress,
    model: begun.admission.models[0]!,
    reply: undefined,
    attempts: [],
    firstByteMs: null,
    produced: {
      transcript: openTranscript(),
      thoughts: openTranscript(),
      calledAt: undefined,
      firstChunkAt: undefined,
      firstSaidAt: undefined,
      lastAt: undefined,
      wasHeldBack: false,
      thinks: undefined,
    },
    hasReachedClient: false,
    inSilence: undefined,
    isSettled: false,
  }
}

/** How a run ended. */
export type End = Pick<ChatOutcome, 'ending' | 'usage' | 'isUsageFinal'> &
  Partial<Pick<ChatOutcome, 'status' | 'errorCode' | 'endsMeaningfully'>>

/** Settles the run, once; resolves when that is durable. Throws what `settleChat` throws. */
export async function settleChatRun(edge: Edge, ctx: Context, run: ChatRun, end: End): Promise<Settled> {
  run.isSettled = true
  const target = run.reply?.target
  const settled = await settleChat(edge.inference, run.admission, {
    requestId: run.requestId,
    startedAt: run.startedAt,
    begunAt: run.begunAt,
    route: run.route,
    clientAddress: run.clientAddress,
    status: 200,
    errorCode: null,
    endsMeaningfully: false,
    ...end,
    isDelivered: run.hasReachedClient || run.client.hasLeft,
    produced: run.produced,
    model: run.model,
    vendor: target?.vendor ?? run.model.entry.provider,
    byokId: target?.byokId ?? null,
    upstreamRequestId: run.reply?.upstreamRequestId ?? null,
    firstByteMs: run.firstByteMs,
    attempts: run.attempts,
  })
  const { promptTokens, completionTokens } = settled.usage
  Object.assign(ctx.state.logLine, {
    costNanos: settled.costNanos.toString(),
    promptTokens,
    completionTokens,
  })
  return settled
}

/** How the log tells of a client that did not wait for its answer. */
export const left = { status: 499, errorCode: 'client_left' }

/** What became of a run that failed. */
export interface Failed {
  /** What to tell the client; nothing where it has left. */
  problem: Problem | undefined
  /** Something was charged: the same request must not run again for nothing. */
  isCharged: boolean
}

/**
 * Ends a run that failed: released, or charged for what was produced where the client left after the vendor had begun,
 * or where the vendor, or our own time limit, broke off an answer of which the client has a part (README: a client that
 * leaves a stream, our own time limit).
 */
export async function endFailed(edge: Edge, ctx: Context, run: ChatRun, error: unknown): Promise<Failed> {
  const isGone =
    error instanceof ClientGone ||
    (error instanceof UpstreamFailure && error.kind === 'aborted') ||
    run.client.hasLeft
  const problem = error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
  const stream = run.reply?.stream
  const isCut = stream !== undefined && (isGone || run.hasReachedClient)
  const end: End = {
    ending: isCut ? 'cut' : 'failed',
    usage: stream?.usage,
    isUsageFinal: stream?.isUsageFinal ?? false,
    ...(isGone ? left : { status: problem.status, errorCode: problem.code }),
  }
  ctx.state.logLine.status = end.status
  if (!isGone) ctx.state.problem = problem
  // Settled already, but for the word of it: what has reached the client is charged later.
  let isCharged = run.hasReachedClient && isUnknown(error)
  if (!run.isSettled) {
    // Until something is said, what passes is thought.
    if (run.produced.firstSaidAt === undefined) run.produced.lastAt = edge.inference.context.clock.monotonic()
    run.produced.thinks = stream?.thinks
    isCharged = await settleChatRun(edge, ctx, run, end).then(
      ({ costNanos }) => costNanos > 0n,
      failure => {
        edge.log.error(
          { err: failure, requestId: run.requestId },
          'a failed request is settled later, if at all',
        )
        return isUnknown(failure)
      },
    )
  }
  if (isGone) return { problem: undefined, isCharged }
  return { problem: isCharged && !isUnknown(problem) ? chargedProblem(problem) : problem, isCharged }
}

/** A charge may stand, or will. */
function isUnknown(error: unknown): boolean {
  return error instanceof Problem && error.errorName === 'settlement_unknown'
}

/** The catalogue says that nothing was charged, which is not so where the client has a part of the answer. */
function chargedProblem(problem: Problem): Problem {
  const message = 'The answer broke off. What had been produced of it is charged.'
  return new Problem(problem.errorName, { ...problem.details, message, cause: problem })
}
