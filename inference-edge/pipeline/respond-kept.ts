import type { Standing } from '../../domain/allowances/allowances.ts'
import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { keepAnswer } from './keep-answer.ts'
import { sendLongAnswer } from './send-long-answer.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * Responds with a JSON body, after it is stored for repeats. If another process has stored an answer first, that answer
 * is sent.
 */
export async function respondKept(
  edge: Edge,
  ctx: EdgeContext,
  {
    body,
    keep,
    standing,
    byokId,
  }: {
    body: string | Buffer
    keep: KeepAnswer | undefined
    standing: Standing
    byokId: string | undefined
  },
): Promise<void> {
  let sent = body
  if (keep) {
    const kept = await keepAnswer(edge, { keep, standing, contentType, body: Buffer.from(body), byokId })
    if (kept) {
      ctx.set('idempotent-replayed', 'true')
      sent = Buffer.from(kept.body)
    }
  }
  ctx.res.statusCode = 200
  ctx.res.setHeader('content-type', contentType)
  await sendLongAnswer(edge, ctx, sent)
}
