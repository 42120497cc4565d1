import { recordLeaving } from '../../domain/ledger/request-record.ts'
import { SplicedJson } from '../../platform/json/spliced-json.ts'
import type { ChatReply } from '../../upstreams/call/call-chat.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { keepAnswer, keepingOf } from '../pipeline/keep-answer.ts'
import { sendLongAnswer } from '../pipeline/send-long-answer.ts'
import { beginAnswer, type ChatRun, endFailed, settleChatRun } from './chat-run.ts'
import { endsMeaningfully, readProduced } from './read-produced.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * Answers whole: the body leaves when its charge is durable. A client that leaves meanwhile pays for the answer all the
 * same, by the vendor's count. Throws the failure, released, for a real HTTP status.
 */
export async function answerWhole(
  edge: Edge,
  ctx: EdgeContext,
  run: ChatRun,
  calling: Promise<ChatReply>,
): Promise<void> {
  try {
    const reply = await calling
    beginAnswer(run, reply)
    run.produced.lastAt = edge.inference.context.clock.monotonic()
    const { completion, usage } = reply.answer!
    readProduced(completion, run.produced.transcript, run.produced.thoughts)
    if (run.client.hasLeft) recordLeaving(run.record)
    await settleChatRun(edge, run, {
      ending: 'answered',
      endsMeaningfully: endsMeaningfully(completion),
      usage,
      isUsageFinal: true,
    })
    const presented = run.conversation.presentWhole(completion, run.record.usage, run.record)
    let body = presented instanceof SplicedJson ? await presented.print() : JSON.stringify(presented)
    if (run.keep) {
      const standing = await keepAnswer(edge, keepingOf(run), {
        contentType,
        body: Buffer.from(body),
        byokId: reply.target.byokId,
      })
      if (standing) ctx.set('idempotent-replayed', 'true')
      if (standing) body = Buffer.from(standing.body).toString()
    }
    ctx.res.statusCode = 200
    ctx.res.setHeader('content-type', contentType)
    const sending = sendLongAnswer(edge, ctx, body)
    if (sending) await sending
  } catch (error) {
    const { problem } = await endFailed(edge, ctx, run, error)
    if (problem) throw error
    ctx.respond = false
  }
}
