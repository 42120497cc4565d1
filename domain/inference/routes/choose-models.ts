import { decimalDollars } from '../../../platform/money.ts'
import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatModel, ModelCache } from '../../models/model-cache.ts'
import { type MaxPrice, noWishes, type RouteWishes } from './read-wishes.ts'
import type { RouteHealth } from './route-health.ts'

/** A chat request, and its size, by which prices are compared. */
export interface WishfulRequest {
  model: ChatModel
  /** The catalogue's fallbacks of the model. */
  fallbacks: readonly ChatModel[]
  request: ChatRequest
  /** The client's wishes; undefined if it has none. */
  wishes?: RouteWishes | undefined
  /** The most tokens that the prompt may have. */
  promptTokens: number
  /** The most tokens of each choice that the client allows; undefined if it sets no maximum. */
  namedTokens: number | undefined
}

/** The models and vendors with which a request is tried. */
export interface ChosenModels {
  models: ChatModel[]
  /** The reason for the order of the requested model's routes, for the log; undefined if it has one route. */
  reason?: string | undefined
}

/** The catalogue, and the health of its routes. */
export interface Routes {
  models: ModelCache
  routeHealth: RouteHealth
}

type Asked = WishfulRequest & { wishes: RouteWishes }

/** Whether the models of a request must be chosen: it has wishes, or several vendors serve one of its models. */
export function hasChoice(
  { entry }: ChatModel,
  fallbacks: readonly ChatModel[],
  wishes: RouteWishes | undefined,
): boolean {
  return (
    wishes !== undefined ||
    entry.routes !== undefined ||
    fallbacks.some(model => model.entry.routes !== undefined)
  )
}

/**
 * Returns the models with which a request is tried, in order, once for each vendor that serves them: the requested ones
 * as the client wishes, then the catalogue's fallbacks that fit the wishes, if the client names no further models. Throws
 * `invalid_request`, which names the first wish that leaves none of the requested models, or a model or vendor that does
 * not exist.
 */
export function chooseModels(routes: Routes, request: WishfulRequest): ChosenModels {
  const asked: Asked = { ...request, wishes: request.wishes ?? noWishes }
  const { fallbacks } = asked
  const { models } = routes
  const { wishes } = asked
  const named = requestedModels(models, asked)
  const requested = named.flatMap(each => models.routes(each))
  const rules = rulesOf(models, asked)
  let left = requested
  for (const { param, keeps } of rules) {
    left = left.filter(keeps)
    if (left.length === 0) throw invalidParam(param, 'leaves no vendor for the requested models')
  }
  const orderly = orderOf(routes, asked)
  const ordered = orderly.sort(left, named)
  const reason = orderly.explain(ordered)
  if (wishes.isAlone) return { models: ordered.slice(0, 1), reason }
  if (wishes.provider.allow_fallbacks === false)
    return { models: wishes.provider.order?.length ? ordered : firstOfEach(ordered), reason }
  if (wishes.models.length > 0) return { models: ordered, reason }
  const others = fallbacks
    .flatMap(each => models.routes(each))
    .filter(each => rules.every(({ keeps }) => keeps(each)))
  return { models: [...ordered, ...orderly.sort(others, fallbacks)], reason }
}

/** Returns the requested model and the further ones, each once. */
function requestedModels(models: ModelCache, { model, wishes }: Asked): ChatModel[] {
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

function rulesOf(models: ModelCache, asked: Asked): Rule[] {
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

/** The order of routes: by their models as these are named, then by the client's vendors, then by a measure. */
interface RouteOrder {
  sort(routes: readonly ChatModel[], named: readonly ChatModel[]): ChatModel[]
  /** Returns the measure of the first model's routes as text; undefined if it has one route. */
  explain(ordered: readonly ChatModel[]): string | undefined
}

function orderOf({ models, routeHealth }: Routes, asked: Asked): RouteOrder {
  const { provider } = asked.wishes
  if (provider.sort === 'throughput') {
    throw invalidParam('provider.sort', 'must be price or latency: throughput is not measured')
  }
  const order = labelsOf(models, provider.order, 'provider.order')
  const byOf = ({ entry }: ChatModel) => {
    if (order.length > 0) return 'request'
    return provider.sort ?? entry.route_by ?? 'catalogue'
  }
  const measures = new Map<ChatModel, bigint>()
  const measure = (model: ChatModel): bigint => {
    const { entry } = model
    switch (byOf(model)) {
      case 'price':
        return typicalCost(model, asked)
      case 'health':
        return BigInt(Math.round(routeHealth.score(entry)))
      case 'latency':
        return BigInt(Math.round(routeHealth.latency(entry)))
      case 'request': {
        const rank = order.indexOf(entry.provider)
        return BigInt(rank < 0 ? order.length : rank)
      }
      default:
        return 0n
    }
  }
  const measured = (model: ChatModel) => measures.get(model) ?? 0n
  return {
    sort(routes, named) {
      for (const route of routes) measures.set(route, measure(route))
      const placeOf = ({ entry }: ChatModel) => named.findIndex(model => model.entry.id === entry.id)
      return routes.toSorted((a, b) => placeOf(a) - placeOf(b) || compare(measured(a), measured(b)))
    },
    explain([first, ...others]) {
      if (!first?.entry.routes) return undefined
      const by = byOf(first)
      if (by === 'catalogue' || by === 'request') return by
      const same = [first, ...others.filter(({ entry }) => entry.id === first.entry.id)]
      const print = (value: bigint) => (by === 'price' ? `$${decimalDollars(value)}` : `${value} ms`)
      return `${by}: ${same.map(model => `${model.entry.provider} ${print(measured(model))}`).join(', ')}`
    },
  }
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

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
