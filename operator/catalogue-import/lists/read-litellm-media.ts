import { isRecord } from '../../../platform/checks.ts'
import type { ListedMedia, ListedMediaPrice, ListedModel, Listing, ModelList } from './lists.ts'
import { providerNames } from './read-litellm.ts'
import { nanosPerMillion } from './token-prices.ts'

/**
 * Reads the media and embedding models of LiteLLM's map, whose numbers are decimal text (`parseDecimalJson`). Its chat
 * models are left to models.dev, which knows their abilities.
 */
export function readLiteLlmMedia(json: unknown): ModelList {
  const models = Object.entries(isRecord(json) ? json : {})
  const known = new Map(Object.entries(providerNames).map(([name, theirs]) => [theirs, name]))
  const nameOf = (model: unknown) => {
    const theirs = isRecord(model) ? String(model.litellm_provider) : ''
    return known.get(theirs) ?? theirs
  }
  return {
    name: 'litellm',
    providers: new Set(models.map(([, model]) => nameOf(model))),
    listingOf(provider) {
      return listingOf(models.filter(([, model]) => nameOf(model) === provider))
    },
  }
}

function listingOf(entries: readonly [key: string, model: unknown][]): Listing {
  const variants = readVariants(entries)
  const listing: Listing = { models: [], unusable: [] }
  for (const [key, model] of entries) {
    if (sizedKey.test(key) || !isRecord(model)) continue
    const id = key.replace(`${model.litellm_provider}/`, '')
    const read = readModel(id, model, variants.get(id))
    if (typeof read === 'string') listing.unusable.push({ id, reason: read })
    else if (read) listing.models.push(read)
  }
  return listing
}

/** Reads the prices of images by quality and size, by the model's ID. */
function readVariants(entries: readonly [key: string, model: unknown][]): Map<string, ListedMediaPrice[]> {
  const variants = new Map<string, ListedMediaPrice[]>()
  for (const [key, model] of entries) {
    const { quality, width, height, id } = sizedKey.exec(key)?.groups ?? {}
    if (id === undefined || !isRecord(model)) continue
    const nanos = nanosPerMillion(model.output_cost_per_image ?? model.input_cost_per_image)
    if (nanos === undefined) continue
    const price = { nanos, ...(quality && { quality }), size: `${width}x${height}` }
    const known = variants.get(id)
    if (known) known.push(price)
    else variants.set(id, [price])
  }
  return variants
}

/** The key of the price of one quality and size: `high/1536-x-1024/gpt-image-1.5`. */
const sizedKey = /^(?:(?<quality>[a-z]+)\/)?(?<width>\d+)-x-(?<height>\d+)\/(?<id>.+)$/

/** Reads one model. Returns why the catalogue cannot declare it, or undefined for a mode that is not imported. */
function readModel(
  id: string,
  model: Record<string, unknown>,
  variants: readonly ListedMediaPrice[] | undefined,
): ListedModel | string | undefined {
  switch (model.mode) {
    case 'audio_speech':
      return media('text-to-speech', id, model, priceIn(model, ['input_cost_per_character'], 1))
    case 'video_generation': {
      const fields = ['output_cost_per_video_per_second', 'output_cost_per_second']
      return media('text-to-video', id, model, priceIn(model, fields))
    }
    case 'image_generation':
      return media('text-to-image', id, model, variants ?? priceIn(model, ['output_cost_per_image']))
    case 'embedding':
      return readEmbedding(id, model)
    case 'audio_transcription':
      return 'transcribes audio, which is not served'
    default:
      return undefined
  }
}

function media(
  task: ListedMedia['task'],
  id: string,
  model: Record<string, unknown>,
  prices: readonly ListedMediaPrice[],
): ListedMedia | string {
  if (prices.length === 0) return `has no price per ${unitNames[task]}`
  const sizes = Array.isArray(model.supported_resolutions) ? model.supported_resolutions.map(String) : []
  const hasInputPrice = nanosPerMillion(model.input_cost_per_token) !== undefined
  return { task, id, name: id, prices, hasInputPrice, sizes }
}

const unitNames = { 'text-to-image': 'image', 'text-to-video': 'second', 'text-to-speech': 'character' }

function priceIn(
  model: Record<string, unknown>,
  fields: readonly string[],
  units: 1 | 1_000_000 = 1_000_000,
): ListedMediaPrice[] {
  const nanos = fields.map(field => nanosPerMillion(model[field], units)).find(price => price !== undefined)
  return nanos === undefined ? [] : [{ nanos }]
}

function readEmbedding(id: string, model: Record<string, unknown>): ListedModel | string {
  const input = nanosPerMillion(model.input_cost_per_token, 1)
  const contextTokens = Number(model.max_input_tokens ?? model.max_tokens)
  if (input === undefined) return 'has no price per token'
  if (!(contextTokens > 0)) return 'has no limit of tokens'
  return {
    task: 'text-embedding',
    id,
    name: id,
    prices: [{ above: 0, input, output: 0n }],
    contextTokens,
    outputTokens: 1,
    reads: new Set(['text']),
    isAudioExtra: false,
    tools: false,
    sampling: false,
    reasoning: undefined,
  }
}
