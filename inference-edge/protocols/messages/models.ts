import type Anthropic from '@anthropic-ai/sdk'
import type { ModelRecord } from '../../../domain/models/model-records.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'

/** A page of the chat models, in the shape of the Messages protocol. */
export interface ModelPage {
  data: Anthropic.ModelInfo[]
  has_more: boolean
  first_id: string | null
  last_id: string | null
}

type Query = Record<string, string | string[] | undefined>

const largestLimit = 1_000

/**
 * Returns the page that `limit`, `after_id` and `before_id` select: all models, unless a limit is given. Throws
 * `invalid_request` for an invalid limit or an unknown ID.
 */
export function listPage(models: ModelRecord[], { limit, after_id, before_id }: Query): ModelPage {
  const all = models.filter(({ entry }) => entry.task === 'chat')
  const size = readLimit(limit)
  const after = indexOf(all, 'after_id', after_id)
  const before = indexOf(all, 'before_id', before_id)
  const from = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - size)
  const page = all.slice(from, before ?? from + size)
  return {
    data: page.map(presentModel),
    has_more: before === undefined ? from + size < all.length : from > 0,
    first_id: page[0]?.entry.model ?? null,
    last_id: page.at(-1)?.entry.model ?? null,
  }
}

/** One model. Media models have no limits in tokens. */
export function presentModel({ entry, createdAt }: ModelRecord): Anthropic.ModelInfo {
  const chat = entry.modality === 'chat' ? entry.chat : undefined
  return {
    type: 'model',
    id: entry.model,
    display_name: entry.name,
    created_at: createdAt.toISOString(),
    max_input_tokens: chat?.context_tokens ?? null,
    max_tokens: chat?.max_output_tokens ?? null,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  }
}

function readLimit(limit: Query[string]): number {
  if (limit === undefined) return largestLimit
  const size = Number(limit)
  if (Number.isInteger(size) && size >= 1 && size <= largestLimit) return size
  throw invalidParam('limit', `must be a whole number from 1 to ${largestLimit}`)
}

function indexOf(models: ModelRecord[], param: string, id: Query[string]): number | undefined {
  if (id === undefined) return undefined
  const index = models.findIndex(({ entry }) => entry.model === id)
  if (index >= 0) return index
  throw invalidParam(param, 'must be the ID of a model')
}
