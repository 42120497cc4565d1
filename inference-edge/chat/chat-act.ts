import type { Context } from 'koa'
import type { Admission } from '../../domain/inference/admit-chat.ts'
import { type ChatOutcome, settleChat } from '../../domain/inference/settle-chat.ts'
import { asProblem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { ChatReply } from '../../upstreams/call-chat.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'

/** One admitted chat request on its way to its settlement. */
export interface ChatAct {
  requestId: string
  startedAt: number
  request: ChatRequest
  admission: Admission
  clientAddress: string
  reply: ChatReply | undefined
  firstByteMs: number | null
  /** Characters of the answer that were sent on. */
  producedCharacters: number
  isSettled: boolean
}

export function openAct(ctx: Context, request: ChatRequest, admission: Admission): ChatAct {
  const { model } = admission
  Object.assign(ctx.state.line, { model: model.entry.model, streamed: request.stream === true })
  return {
    requestId: ctx.state.requestId,
    startedAt: Date.now(),
    request,
    admission,
    clientAddress: ctx.state.line.clientAddress,
    reply: undefined,
    firstByteMs: null,
    producedCharacters: 0,
    isSettled: false,
  }
}

/** How the act ended, for its settlement. */
export function outcomeOf(
  act: ChatAct,
  end: Pick<ChatOutcome, 'usage' | 'isCharged'> & { status?: number; errorCode?: string },
): ChatOutcome {
  return {
    requestId: act.requestId,
    startedAt: act.startedAt,
    request: act.request,
    clientAddress: act.clientAddress,
    status: end.status ?? 200,
    errorCode: end.errorCode ?? null,
    usage: end.usage,
    producedCharacters: act.producedCharacters,
    isCharged: end.isCharged,
    vendor: act.reply?.target.vendor ?? act.admission.model.entry.provider,
    byokId: act.reply?.target.byokId ?? null,
    upstreamRequestId: act.reply?.upstreamRequestId ?? null,
    firstByteMs: act.firstByteMs,
  }
}

/** Releases an act that failed and passes the failure on; a client that left hears nothing. */
export async function failChat(edge: Edge, ctx: Context, act: ChatAct, error: unknown): Promise<void> {
  const isGone = error instanceof UpstreamFailure && error.kind === 'aborted'
  const problem = error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
  const status = isGone ? 499 : problem.status
  ctx.state.line.status = status
  if (!act.isSettled) {
    act.isSettled = true
    const end = {
      usage: undefined,
      isCharged: false,
      status,
      errorCode: isGone ? 'client_left' : problem.code,
    }
    await settleChat(edge.inference, act.admission, outcomeOf(act, end)).catch(failure =>
      edge.log.error({ err: failure, requestId: act.requestId }, 'a failed request was not released'),
    )
  }
  if (!isGone) throw error
  ctx.respond = false
}
