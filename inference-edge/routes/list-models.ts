import type { Context } from 'koa'
import { checkKeyAndRate } from '../../domain/inference/check-key-and-rate.ts'
import { identifyCaller } from '../door/identify-caller.ts'
import type { Edge } from '../edge.ts'

/** `GET /v1/models`: every active model, in the shape that OpenAI-style clients list. */
export async function listModels(edge: Edge, ctx: Context): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  await checkKeyAndRate(edge.inference, key, { tokens: 0, tell: headers => ctx.set(headers) })
  const data = edge.inference.models.all().map(({ entry, createdAt }) => ({
    id: entry.model,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: entry.provider,
  }))
  ctx.body = { object: 'list', data }
}
