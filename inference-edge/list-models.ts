import type { ModelRecord } from '../domain/models/model-records.ts'
import { openPresenter, type PricingRecord } from '../domain/pricing/present-pricing.ts'
import { Problem } from '../schema/errors.ts'
import type { Edge, EdgeContext } from './edge.ts'
import { countRequest } from './pipeline/count-request.ts'
import { identifyCaller } from './pipeline/identify-caller.ts'
import { reachedModels } from './pipeline/list-attempts.ts'
import { speaksMessages } from './protocols/messages/client.ts'
import { listPage, presentModel as presentToMessages } from './protocols/messages/models.ts'

/**
 * `GET /v1/models`: lists every active model that a credential reaches, in OpenAI's shape. Clients of the Messages protocol
 * get the chat models, page by page, in Anthropic's shape.
 */
export async function listModels(edge: Edge, ctx: EdgeContext): Promise<void> {
  const models = await modelsOfCaller(edge, ctx)
  ctx.body = speaksMessages(ctx)
    ? listPage(models, ctx.query)
    : { object: 'list', data: models.map(model => present(edge.inference.context.clock, model)) }
}

/** `GET /v1/models/{model}`: returns one model, by its ID in inference requests or an alias. */
export async function findModel(edge: Edge, ctx: EdgeContext): Promise<void> {
  const models = await modelsOfCaller(edge, ctx)
  const id = ctx.path.slice('/v1/models/'.length).replaceAll(/%2f/gi, '/')
  const found = models.find(({ entry }) => entry.model === id || entry.known_as?.includes(id))
  if (!found) throw new Problem('model_not_found', { param: 'model' })
  ctx.body = speaksMessages(ctx) ? presentToMessages(found) : present(edge.inference.context.clock, found)
}

/** Counts the request, and resolves to the models that the caller's key can call. */
async function modelsOfCaller(edge: Edge, ctx: EdgeContext): Promise<ModelRecord[]> {
  const { key } = await countRequest(edge, ctx, await identifyCaller(edge, ctx))
  return reachedModels(edge, { key, models: edge.inference.models.all() })
}

/** Presents a model with OpenAI's fields, the fields that clients for several vendors read, and its prices now. */
const present = openPresenter((record: PricingRecord, { entry, createdAt }: ModelRecord) => {
  const chat = entry.modality === 'chat' ? entry.chat : undefined
  const { model_id: _, model: __, modality, updated_at: ___, ...pricing } = record
  return {
    id: entry.model,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: entry.provider,
    aliases: entry.known_as ?? [],
    name: entry.name,
    description: entry.description,
    modality,
    context_length: chat?.context_tokens ?? null,
    max_output_tokens: chat?.max_output_tokens ?? null,
    pricing,
  }
})
