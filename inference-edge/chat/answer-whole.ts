import type { Context } from 'koa'
import type { ChatReply } from '../../upstreams/call-chat.ts'
import type { Edge } from '../edge.ts'
import { type Act, endFailed, settleAct } from './act.ts'
import { countProduced, endsMeaningfully } from './count-produced.ts'

/** Answers whole: the body leaves when its charge is durable. Throws the failure, released, for a real HTTP status. */
export async function answerWhole(
  edge: Edge,
  ctx: Context,
  act: Act,
  calling: Promise<ChatReply>,
): Promise<void> {
  try {
    act.reply = await calling
    act.firstByteMs = Date.now() - act.startedAt
    const { completion, usage } = act.reply.answer!
    act.producedCharacters = countProduced(completion)
    const isCharged = act.producedCharacters > 0 || endsMeaningfully(completion)
    const settled = await settleAct(edge, ctx, act, { usage, isCharged })
    const body = JSON.stringify(act.conversation.presentWhole(completion, settled.usage, act))
    await act.keep?.({ status: 200, contentType: 'application/json; charset=utf-8', body: Buffer.from(body) })
    ctx.type = 'application/json'
    ctx.body = body
  } catch (error) {
    if (await endFailed(edge, ctx, act, error)) throw error
    ctx.respond = false
  }
}
