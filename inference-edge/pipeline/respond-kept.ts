import type { Standing } from '../../domain/allowances/allowances.ts'
import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { keepAnswer } from './keep-answer.ts'
import { sendLongAnswer } from './send-long-answer.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * Responds with a JSON body, after it is stored for repeats. If another process has stored an answer first, that answer
 * is sent. Returns undefined if nothing is to be awaited.
 */
export function respondKept(edge: Edge, ctx: EdgeContext, answer: JsonAnswer): Promise<unknown> | undefined {
  return answer.keep ? keepAndRespond(edge, ctx, answer) : respond(edge, ctx, answer.body)
}

interface JsonAnswer {
  body: string | Buffer
  keep: KeepAnswer | undefined
  standing: Standing
  byokId: string | undefined
}

async function keepAndRespond(edge: Edge, ctx: EdgeContext, answer: JsonAnswer): Promise<void> {
  const body = Buffer.from(answer.body)
  const kept = await keepAnswer(edge, { ...answer, contentType, body })
  if (kept) ctx.set('idempotent-replayed', 'true')
  await respond(edge, ctx, kept ? Buffer.from(kept.body) : body)
}

function respond(edge: Edge, ctx: EdgeContext, body: string | Buffer): Promise<unknown> | undefined {
  ctx.res.statusCode = 200
  ctx.res.setHeader('content-type', contentType)
  return sendLongAnswer(edge, ctx, body)
}
