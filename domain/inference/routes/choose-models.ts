import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatModel, ModelCache } from '../../models/model-cache.ts'
import type { MaxPrice, RouteWishes } from './read-wishes.ts'

/** A chat request with wishes, and its size, by which prices are compared. */
export interface WishfulRequest {
  model: ChatModel
  request: ChatRequest
  wishes: RouteWishes
  /** The most tokens that the prompt may have. */
  promptTokens: number
  /** The most tokens of each choice that the client allows; undefined if it sets no maximum. */
  namedTokens: number | undefined
}

/**
 * Returns the models with which a request is tried, in order: the requested ones as the client wishes, then the
 * catalogue's fallbacks that fit the wishes, if the client names no further models. Throws `invalid_request`, which
 * names the first wish that leaves none of the requested models, or a model or vendor that does not exist.
 */
export function chooseModels(models: ModelCache, asked: WishfulRequest): ChatModel[] {
  const { model, wishes } = asked
  const requested = requestedModels(models, asked)
  const rules = rulesOf(models, asked)
  let left = requested
  for (const { param, keeps } of rules) {
    left = left.filter(keeps)
    if (left.length === 0) throw invalidParam(param, 'leaves no vendor for the requested models')
  }
  const ordered = inOrder(models, left, { asked, requested })
  if (wishes.isAlone) return ordered.slice(0, 1)
  if (wishes.provider.allow_fallbacks === false)
    return wishes.provider.order?.length ? ordered : firstOfEach(ordered)
  if (wishes.models.length > 0) return ordered
  const fallbacks = models.fallbacks(model).filter(each => rules.every(({ keeps }) => keeps(each)))
  return [...ordered, ...fallbacks]
}

/** Returns the requested model and the further ones, each once. */
function requestedModels(models: ModelCache, { model, wishes }: WishfulRequest): ChatModel[] {
  const found = new Map([[model.entry.id, model]])
  for (const [index, name] of wishes.models.entries()) {
    const each = findModel(models, name, `models[${index}]`)
    if (!found.has(each.entry.id)) found.set(each.entry.id, each)
  }
  return [...found.values()]
}

/** Returns the first of the routes of each model. */
function firstOfEach(routes: readonly ChatModel[]): ChatModel[] {
  return routes.filter(({ entry }, index) => routes.findIndex(other => other.entry.id === entry.id) === index)
}

function findModel(models: ModelCache, name: string, param: string): ChatModel {
  try {
    return models.chat(name)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw invalidParam(param, 'is not an active chat model')
  }
}

/** A wish that excludes models. */
interface Rule {
  param: string
  keeps(model: ChatModel): boolean
}

function rulesOf(models: ModelCache, asked: WishfulRequest): Rule[] {
  const { provider, maxPrice } = asked.wishes
  const only = labelsOf(models, provider.only, 'provider.only')
  const ignored = labelsOf(models, provider.ignore, 'provider.ignore')
  const order = labelsOf(models, provider.order, 'provider.order')
  const isSet = (labels: readonly string[]) => labels.length > 0
  const rules: (Rule | false)[] = [
    isSet(only) && { param: 'provider.only', keeps: ({ entry }) => only.includes(entry.provider) },
    isSet(ignored) && { param: 'provider.ignore', keeps: ({ entry }) => !ignored.includes(entry.provider) },
    provider.allow_fallbacks === false &&
      isSet(order) && { param: 'provider.order', keeps: ({ entry }) => order.includes(entry.provider) },
    provider.data_collection === 'deny' && {
      param: 'provider.data_collection',
      keeps: ({ entry }) => models.vendor(entry.provider)?.data_collection === 'deny',
    },
    provider.require_parameters === true && {
      param: 'provider.require_parameters',
      keeps: ({ entry }) => supportsAll(entry, asked.request),
    },
    { param: 'provider.max_price', keeps: model => isWithin(model, maxPrice, asked) },
  ]
  return rules.filter(rule => rule !== false)
}

/** Returns the labels of vendors that are named by label or alias. */
function labelsOf(models: ModelCache, names: readonly string[] | null | undefined, param: string): string[] {
  return (names ?? []).map((name, index) => {
    const vendor = models.vendorNamed(name)
    if (vendor) return vendor.label
    throw invalidParam(`${param}[${index}]`, 'is not the label or alias of a vendor')
  })
}

/** Fields of a request that every model supports, or that are not for models. */
const commonFields = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'user', 'safety_identifier', 'store', 'metadata'],
])

/** Whether a model supports every parameter of a request, rather than dropping one. */
function supportsAll(entry: ChatEntry, request: ChatRequest): boolean {
  const { ignored_parameters: ignored, refused_parameters: refused, reasoning } = entry.chat
  const isPassedOn = (name: string) =>
    entry.upstream.adapter === 'openai-chat' &&
    !Object.hasOwn(ChatRequest.properties, name) &&
    !ignored.includes(name) &&
    !refused.includes(name)
  return Object.entries(request).every(([name, value]) => {
    if (value === undefined || value === null || commonFields.has(name)) return true
    if (name === 'thinking') return reasoning !== undefined
    return Object.hasOwn(entry.parameters.properties, name) || isPassedOn(name)
  })
}

const million = 1_000_000

/** Whether a model's prices for a prompt of this length are at most the highest that the client accepts. */
function isWithin(model: ChatModel, { prompt, completion, image }: MaxPrice, asked: WishfulRequest): boolean {
  const { promptTokens } = asked
  const costOf = (completionTokens: number, images = 0) => priceOf(model, asked, { completionTokens, images })
  const promptCost = costOf(0)
  // Costs are rounded up to a nano-dollar, so one more does not exceed the limit.
  if (prompt !== undefined && (promptCost - 1n) * BigInt(million) >= prompt * BigInt(promptTokens))
    return false
  if (completion !== undefined && costOf(million) - promptCost > completion) return false
  return image === undefined || costOf(0, 1) - promptCost <= image
}

/** Orders routes by their models as the client named these, then by the client's vendors, then by price if requested. */
function inOrder(
  models: ModelCache,
  left: readonly ChatModel[],
  { asked, requested }: { asked: WishfulRequest; requested: readonly ChatModel[] },
): ChatModel[] {
  const { provider } = asked.wishes
  if (provider.sort && provider.sort !== 'price') {
    throw invalidParam('provider.sort', 'must be price: other measures are not supported')
  }
  const order = labelsOf(models, provider.order, 'provider.order')
  const rankOf = ({ entry }: ChatModel) => {
    const rank = order.indexOf(entry.provider)
    return rank < 0 ? order.length : rank
  }
  const placeOf = ({ entry }: ChatModel) => requested.findIndex(model => model.entry.id === entry.id)
  const costs = new Map(left.map(model => [model, provider.sort ? typicalCost(model, asked) : 0n]))
  return left.toSorted(
    (a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b) || compare(costs.get(a), costs.get(b)),
  )
}

/** Returns the price of the request with an answer of the client's maximum, or of typical length. */
function typicalCost(model: ChatModel, asked: WishfulRequest): bigint {
  const completionTokens = asked.namedTokens ?? model.entry.chat.default_output_tokens
  return priceOf(model, asked, { completionTokens })
}

/** Returns the price of the whole prompt, none of it cached, and an answer, in the requested service tier. */
function priceOf(
  { price }: ChatModel,
  { promptTokens, request }: WishfulRequest,
  answer: { completionTokens: number; images?: number },
): bigint {
  const serviceTier = request.service_tier ?? undefined
  return price.price({ promptTokens, cachedTokens: 0, cacheCreationTokens: 0, serviceTier, ...answer })
}

function compare(a = 0n, b = 0n): number {
  return a < b ? -1 : a > b ? 1 : 0
}
