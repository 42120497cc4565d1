import type { Context } from 'koa'
import type { ChatReply } from '../../upstreams/call/call-chat.ts'
import type { Edge } from '../edge.ts'
import { answerLong } from '../middleware/answer-long.ts'
import { type ChatRun, endFailed, left, settleChatRun } from './chat-run.ts'
import { keepAnswer } from './keep-answer.ts'
import { endsMeaningfully, readProduced } from './read-produced.ts'

/**
 * Answers whole: the body leaves when its charge is durable. A client that leaves meanwhile pays for the answer all the
 * same, by the vendor's count. Throws the failure, released, for a real HTTP status.
 */
export async function answerWhole(
  edge: Edge,
  ctx: Context,
  run: ChatRun,
  calling: Promise<ChatReply>,
): Promise<void> {
  try {
    run.reply = await calling
    run.firstByteMs = performance.now() - run.begunAt
    run.produced.lastAt = edge.inference.context.clock.monotonic()
    const { completion, usage } = run.reply.answer!
    readProduced(completion, run.produced.transcript.add, run.produced.thoughts.add)
    const settled = await settleChatRun(edge, ctx, run, {
      ending: 'answered',
      endsMeaningfully: endsMeaningfully(completion),
      usage,
      isUsageFinal: true,
      ...(run.client.hasLeft && left),
    })
    if (run.client.hasLeft) ctx.state.logLine.status = left.status
    let body = JSON.stringify(run.conversation.presentWhole(completion, settled.usage, run))
    if (run.keep) {
      const contentType = 'application/json; charset=utf-8'
      const standing = await keepAnswer(run, { contentType, body: Buffer.from(body) })
      if (standing) ctx.set('idempotent-replayed', 'true')
      if (standing) body = Buffer.from(standing.body).toString()
    }
    ctx.status = 200
    ctx.type = 'application/json'
    await answerLong(edge, ctx, body)
  } catch (error) {
    const { problem } = await endFailed(edge, ctx, run, error)
    if (problem) throw error
    ctx.respond = false
  }
}
