import type { Context } from 'koa'
import { checkKeyAndRate } from '../../domain/inference/check-key-and-rate.ts'
import type { ModelRecord } from '../../domain/models/model-record.ts'
import { Problem } from '../../schema/errors.ts'
import { doorOf, identifyCaller } from '../door/identify-caller.ts'
import type { Edge } from '../edge.ts'

/** `GET /v1/models`: every active model, in the shape that OpenAI-style clients list. */
export async function listModels(edge: Edge, ctx: Context): Promise<void> {
  await admitReader(edge, ctx)
  ctx.body = { object: 'list', data: edge.inference.models.all().map(present) }
}

/** `GET /v1/models/{model}`: one of them, by the id used in inference requests. */
export async function findModel(edge: Edge, ctx: Context): Promise<void> {
  await admitReader(edge, ctx)
  const id = ctx.path.slice('/v1/models/'.length).replaceAll(/%2f/gi, '/')
  const found = edge.inference.models.all().find(({ entry }) => entry.model === id)
  if (!found) throw new Problem('model_not_found', { param: 'model' })
  ctx.body = present(found)
}

async function admitReader(edge: Edge, ctx: Context): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  await checkKeyAndRate(edge.inference, key, { tokens: 0, ...doorOf(edge, ctx, key) })
}

function present({ entry, createdAt }: ModelRecord) {
  const created = Math.floor(createdAt.getTime() / 1000)
  return { id: entry.model, object: 'model', created, owned_by: entry.provider }
}
