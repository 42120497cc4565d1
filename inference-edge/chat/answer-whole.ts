import type { Context } from 'koa'
import type { ChatReply } from '../../upstreams/call-chat.ts'
import { answerLong } from '../door/answer-long.ts'
import type { Edge } from '../edge.ts'
import { type Act, endFailed, left, settleAct } from './act.ts'
import { keepAnswer } from './keep-answer.ts'
import { endsMeaningfully, readProduced } from './read-produced.ts'

/**
 * Answers whole: the body leaves when its charge is durable. A client that leaves meanwhile pays for the answer all the
 * same, by the vendor's count. Throws the failure, released, for a real HTTP status.
 */
export async function answerWhole(
  edge: Edge,
  ctx: Context,
  act: Act,
  calling: Promise<ChatReply>,
): Promise<void> {
  try {
    act.reply = await calling
    act.firstByteMs = performance.now() - act.begunAt
    act.produced.lastAt = edge.inference.context.clock.monotonic()
    const { completion, usage } = act.reply.answer!
    readProduced(completion, act.produced.transcript.add, act.produced.thoughts.add)
    const settled = await settleAct(edge, ctx, act, {
      ending: 'answered',
      endsMeaningfully: endsMeaningfully(completion),
      usage,
      isUsageFinal: true,
      ...(act.client.hasLeft && left),
    })
    if (act.client.hasLeft) ctx.state.logLine.status = left.status
    let body = JSON.stringify(act.conversation.presentWhole(completion, settled.usage, act))
    if (act.keep) {
      const contentType = 'application/json; charset=utf-8'
      const standing = await keepAnswer(act, { contentType, body: Buffer.from(body) })
      if (standing) ctx.set('idempotent-replayed', 'true')
      if (standing) body = Buffer.from(standing.body).toString()
    }
    ctx.status = 200
    ctx.type = 'application/json'
    await answerLong(edge, ctx, body)
  } catch (error) {
    const { problem } = await endFailed(edge, ctx, act, error)
    if (problem) throw error
    ctx.respond = false
  }
}
