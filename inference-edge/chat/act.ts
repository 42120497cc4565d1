import type { Context } from 'koa'
import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import type { Admission } from '../../domain/inference/admit-chat.ts'
import { type ChatOutcome, type Settled, settleChat } from '../../domain/inference/settle-chat.ts'
import type { ChatModel } from '../../domain/models/model-book.ts'
import { asProblem, type Problem } from '../../schema/errors.ts'
import type { ChatReply } from '../../upstreams/call-chat.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { Conversation, Protocol } from '../protocols/protocol.ts'
import { ClientGone } from '../sse/client-stream.ts'

/** One admitted chat request on its way to its settlement. */
export interface Act {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
  route: Protocol['route']
  conversation: Conversation
  admission: Admission
  clientAddress: string
  /** The model that answers: the one asked for, until another has. */
  model: ChatModel
  reply: ChatReply | undefined
  firstByteMs: number | null
  /** Characters of the answer that were sent on. */
  producedCharacters: number
  isSettled: boolean
  /** Keeps the whole answer before its last bytes leave; absent where the client sent no `Idempotency-Key`. */
  keep: OnceRequest['keep'] | undefined
}

export function openAct(
  ctx: Context,
  begun: Pick<Act, 'route' | 'conversation' | 'admission' | 'keep'>,
): Act {
  const { request } = begun.conversation
  Object.assign(ctx.state.logLine, {
    model: request.model,
    streamed: request.stream === true,
  })
  return {
    ...begun,
    requestId: ctx.state.requestId,
    startedAt: ctx.state.startedAt,
    clientAddress: ctx.state.logLine.clientAddress,
    model: begun.admission.models[0]!,
    reply: undefined,
    firstByteMs: null,
    producedCharacters: 0,
    isSettled: false,
  }
}

/** How an act ended. */
export type End = Pick<ChatOutcome, 'usage' | 'isCharged' | 'isCutShort'> & {
  status?: number
  errorCode?: string
}

/** Settles the act, once; resolves when that is durable. Throws what `settleChat` throws. */
export async function settleAct(edge: Edge, ctx: Context, act: Act, end: End): Promise<Settled> {
  act.isSettled = true
  const target = act.reply?.target
  const settled = await settleChat(edge.inference, act.admission, {
    requestId: act.requestId,
    startedAt: act.startedAt,
    route: act.route,
    request: act.conversation.request,
    clientAddress: act.clientAddress,
    status: end.status ?? 200,
    errorCode: end.errorCode ?? null,
    usage: end.usage,
    isCutShort: end.isCutShort ?? false,
    producedCharacters: act.producedCharacters,
    isCharged: end.isCharged,
    model: act.model,
    vendor: target?.vendor ?? act.model.entry.provider,
    byokId: target?.byokId ?? null,
    upstreamRequestId: act.reply?.upstreamRequestId ?? null,
    firstByteMs: act.firstByteMs,
  })
  const { promptTokens, completionTokens } = settled.usage
  Object.assign(ctx.state.logLine, {
    costNanos: settled.costNanos.toString(),
    promptTokens,
    completionTokens,
  })
  return settled
}

/**
 * Ends an act that failed: released, or, where the client left a stream, charged for what was produced. Answers the
 * problem to tell the client, and nothing where it has left.
 */
export async function endFailed(
  edge: Edge,
  ctx: Context,
  act: Act,
  error: unknown,
): Promise<Problem | undefined> {
  const isGone = error instanceof ClientGone || (error instanceof UpstreamFailure && error.kind === 'aborted')
  const problem = error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
  const end: End = isGone
    ? {
        usage: act.reply?.stream?.usage,
        isCharged: act.producedCharacters > 0,
        isCutShort: true,
        status: 499,
        errorCode: 'client_left',
      }
    : { usage: undefined, isCharged: false, status: problem.status, errorCode: problem.code }
  ctx.state.logLine.status = end.status
  if (!isGone) ctx.state.problem = problem
  if (!act.isSettled) {
    await settleAct(edge, ctx, act, end).catch(failure =>
      edge.log.error({ err: failure, requestId: act.requestId }, 'a failed request was not released'),
    )
  }
  return isGone ? undefined : problem
}
