import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatModel, ModelCache } from '../../models/model-cache.ts'
import type { RoutedRequest } from './choose-models.ts'
import { type MaxPrice, noPreferences } from './read-preferences.ts'
import { labelsOf } from './vendor-labels.ts'

/** A preference that excludes routes. */
export interface RouteRule {
  /** The preference's parameter. */
  param: string
  keeps(route: ChatModel): boolean
  /** Returns why a route is excluded, as the end of a message, if the parameter alone does not show it. */
  explain?(route: ChatModel): string
}

/** Returns the rules of a request's preferences. Throws `invalid_request`, which names a vendor that does not exist. */
export function rulesOf(models: ModelCache, routed: RoutedRequest): RouteRule[] {
  const { request, preferences = noPreferences } = routed
  const { provider, maxPrice } = preferences
  const only = labelsOf(models, provider.only, 'provider.only')
  const ignored = labelsOf(models, provider.ignore, 'provider.ignore')
  const order = labelsOf(models, provider.order, 'provider.order')
  const isSet = (labels: readonly string[]) => labels.length > 0
  const rules: (RouteRule | false)[] = [
    isSet(only) && { param: 'provider.only', keeps: ({ entry }) => only.includes(entry.provider) },
    isSet(ignored) && { param: 'provider.ignore', keeps: ({ entry }) => !ignored.includes(entry.provider) },
    provider.allow_fallbacks === false &&
      isSet(order) && { param: 'provider.order', keeps: ({ entry }) => order.includes(entry.provider) },
    provider.data_collection === 'deny' && {
      param: 'provider.data_collection',
      keeps: ({ entry }) => models.vendor(entry.provider)?.data_collection === 'deny',
      explain: () => ': the catalogue declares none of them with data_collection: deny',
    },
    provider.require_parameters === true && {
      param: 'provider.require_parameters',
      keeps: ({ entry }) => unsupportedParameters(entry, request).length === 0,
      explain: ({ entry }) =>
        `: ${entry.model} does not support ${unsupportedParameters(entry, request).join(', ')}`,
    },
    { param: 'provider.max_price', keeps: route => isWithin(route, maxPrice, routed) },
  ]
  return rules.filter(rule => rule !== false)
}

/** Fields of a request that every model supports, or that are not for models. */
const commonFields = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'user', 'safety_identifier', 'store', 'metadata'],
])

/** Maximum number of parameters in a message. */
const maxNamed = 10

/** Returns the first parameters of a request that a model would drop. */
function unsupportedParameters(entry: ChatEntry, request: ChatRequest): string[] {
  const { ignored_parameters: ignored, refused_parameters: refused, reasoning } = entry.chat
  const isPassedOn = (name: string) =>
    entry.upstream.adapter === 'openai-chat' &&
    !Object.hasOwn(ChatRequest.properties, name) &&
    !ignored.includes(name) &&
    !refused.includes(name)
  const isSupported = ([name, value]: [string, unknown]) => {
    if (value === undefined || value === null || commonFields.has(name)) return true
    if (name === 'n' && value === 1) return true
    if (name === 'thinking') return reasoning !== undefined
    return Object.hasOwn(entry.parameters.properties, name) || isPassedOn(name)
  }
  const unsupported = Object.entries(request).filter(field => !isSupported(field))
  return unsupported.slice(0, maxNamed).map(([name]) => name.slice(0, 100))
}

const million = 1_000_000

/**
 * Whether a model's prices for a prompt of this length are at most the highest that the client accepts, whichever of the
 * service tiers that it may get serves the request.
 */
function isWithin(
  { price }: ChatModel,
  { prompt, completion, image }: MaxPrice,
  { promptTokens, request }: RoutedRequest,
): boolean {
  const costOf = (completionTokens: number, images = 0) =>
    price.highest({
      ...{ promptTokens, cachedTokens: 0, cacheCreationTokens: 0, completionTokens, images },
      requestedTier: request.service_tier ?? undefined,
    })
  const promptCost = costOf(0)
  // Costs are rounded up to a nano-dollar, so one more does not exceed the limit.
  if (prompt !== undefined && (promptCost - 1n) * BigInt(million) >= prompt * BigInt(promptTokens))
    return false
  if (completion !== undefined && costOf(million) - promptCost > completion) return false
  return image === undefined || costOf(0, 1) - promptCost <= image
}
