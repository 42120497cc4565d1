import { anyTier, standardTiers } from '../../../schema/catalog/prices.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatModel, ModelCache } from '../../models/model-cache.ts'
import { noPreferences, type RoutingPreferences } from './read-preferences.ts'
import type { RouteHealth } from './route-health.ts'
import { orderOf } from './route-order.ts'
import { rulesOf } from './route-rules.ts'

/** A chat request, and its size, by which prices are compared. */
export interface RoutedRequest {
  model: ChatModel
  /** The catalogue's fallbacks of the model. */
  fallbacks: readonly ChatModel[]
  request: ChatRequest
  /** The client's preferences; undefined if it has none. */
  preferences?: RoutingPreferences | undefined
  /** The most tokens that the prompt may have. */
  promptTokens: number
  /** The most tokens of each choice that the client allows; undefined if it sets no maximum. */
  namedTokens: number | undefined
}

/** How many of the routes that a credential reaches are tried: one in all, or one of each model. */
export type RouteLimit = 'one' | 'one_per_model'

/** The models and vendors with which a request is tried. */
export interface ChosenModels {
  models: ChatModel[]
  /** Undefined if every route may be tried. */
  limit: RouteLimit | undefined
  /** The reason for the order of the requested model's routes, for the log; undefined if it has one route. */
  reason: string | undefined
}

/** The catalogue, and the health of its routes. */
export interface Routes {
  models: ModelCache
  routeHealth: RouteHealth
}

/** Whether the models of a request must be chosen: it has preferences, or several vendors serve one of its models. */
export function hasChoice(
  { entry }: ChatModel,
  fallbacks: readonly ChatModel[],
  preferences: RoutingPreferences | undefined,
): boolean {
  return (
    preferences !== undefined ||
    entry.routes !== undefined ||
    fallbacks.some(model => model.entry.routes !== undefined)
  )
}

/**
 * Returns the models with which a request is tried, in order, once for each vendor that serves them: the requested models
 * by the client's preferences, then the catalogue's fallbacks that fit them, unless the client names further models or
 * wants no fallbacks. Throws `invalid_request`, which names the first preference that leaves none of the requested models,
 * or a model or vendor that does not exist.
 */
export function chooseModels(routes: Routes, request: RoutedRequest): ChosenModels {
  const { models } = routes
  const { model, fallbacks, preferences = noPreferences } = request
  const requested = requestedModels(models, model, preferences)
  const rules = rulesOf(models, request)
  let left = requested.flatMap(each => models.routes(each))
  for (const { param, keeps, explain } of rules) {
    const kept = left.filter(keeps)
    if (kept.length === 0)
      throw invalidParam(param, `leaves no vendor for the requested models${explain?.(left[0]!) ?? ''}`)
    left = kept
  }
  const order = orderOf(routes, request)
  const ordered = order.sort(withTier(left, request), requested)
  const chosen = { limit: limitOf(preferences), reason: order.explain(ordered) }
  if (preferences.models.length > 0 || chosen.limit || preferences.provider.allow_fallbacks === false)
    return { ...chosen, models: ordered }
  const others = fallbacks
    .flatMap(each => models.routes(each))
    .filter(each => rules.every(({ keeps }) => keeps(each)))
  return { ...chosen, models: [...ordered, ...order.sort(withTier(others, request), fallbacks)] }
}

/**
 * Returns the routes, except routes without a price for the requested service tier if another route of the same model has
 * one.
 */
function withTier(routes: readonly ChatModel[], { request }: RoutedRequest): readonly ChatModel[] {
  const wanted = request.service_tier ?? anyTier
  if (wanted === anyTier || standardTiers.has(wanted)) return routes
  const hasTier = ({ entry }: ChatModel) =>
    entry.prices.service_tiers?.some(({ tier }) => tier === wanted) ?? false
  const able = new Set(routes.filter(hasTier).map(({ entry }) => entry.id))
  return routes.filter(route => hasTier(route) || !able.has(route.entry.id))
}

/** Returns the requested model and the further ones, each once. */
function requestedModels(
  models: ModelCache,
  model: ChatModel,
  { models: names }: RoutingPreferences,
): ChatModel[] {
  const found = new Map([[model.entry.id, model]])
  for (const [index, name] of names.entries()) {
    const each = findModel(models, name, `models[${index}]`)
    if (!found.has(each.entry.id)) found.set(each.entry.id, each)
  }
  return [...found.values()]
}

function findModel(models: ModelCache, name: string, param: string): ChatModel {
  try {
    return models.chat(name)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw invalidParam(param, 'is not an active chat model')
  }
}

/** Without fallbacks, the vendors of a client's own order may still be tried one after another. */
function limitOf({ hasNoFallback, provider }: RoutingPreferences): RouteLimit | undefined {
  if (hasNoFallback) return 'one'
  return provider.allow_fallbacks === false && !provider.order?.length ? 'one_per_model' : undefined
}
