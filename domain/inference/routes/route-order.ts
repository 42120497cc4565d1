import { decimalDollars } from '../../../platform/money.ts'
import type { ChatModel } from '../../models/model-cache.ts'
import type { RoutedRequest, Routes } from './choose-models.ts'
import { noPreferences } from './read-preferences.ts'
import { labelsOf } from './vendor-labels.ts'

/** The order of routes: by their models as these are named, then by the client's vendors, or else by a measure. */
interface RouteOrder {
  sort(routes: readonly ChatModel[], named: readonly ChatModel[]): ChatModel[]
  /** Returns the measure of the first model's routes as text; undefined if it has one route. */
  explain(ordered: readonly ChatModel[]): string | undefined
}

/** Returns the order of a request's routes. Throws `invalid_request`, which names a vendor that does not exist. */
export function orderOf({ models, routeHealth }: Routes, routed: RoutedRequest): RouteOrder {
  const { provider, sort } = routed.preferences ?? noPreferences
  const order = labelsOf(models, provider.order, 'provider.order')
  const byOf = ({ entry }: ChatModel) => {
    if (order.length > 0) return 'request'
    return sort ?? entry.route_by ?? 'catalogue'
  }
  const measure = (route: ChatModel): bigint => {
    const { entry } = route
    switch (byOf(route)) {
      case 'price':
        return typicalCost(route, routed)
      case 'health':
        return BigInt(Math.round(routeHealth.score(entry)))
      case 'latency':
        return BigInt(Math.round(routeHealth.latency(entry)))
      case 'throughput':
        return BigInt(Math.round(routeHealth.msPerThousandTokens(entry)))
      case 'request': {
        const rank = order.indexOf(entry.provider)
        return BigInt(rank < 0 ? order.length : rank)
      }
      default:
        return 0n
    }
  }
  const measures = new Map<ChatModel, bigint>()
  const measured = (route: ChatModel) => measures.get(route) ?? 0n
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
      const print = by === 'price' ? printCost : by === 'throughput' ? printRate : printTime
      return `${by}: ${same.map(route => `${route.entry.provider} ${print(measured(route))}`).join(', ')}`
    },
  }
}

const printCost = (costNanos: bigint) => `$${decimalDollars(costNanos)}`
const printTime = (timeMs: bigint) => `${timeMs} ms`
const printRate = (timeMs: bigint) => `${timeMs} ms per 1000 tokens`

/** Returns the price of the request, nothing cached, with an answer of the client's maximum, or of typical length. */
function typicalCost(
  { entry, price }: ChatModel,
  { promptTokens, request, namedTokens }: RoutedRequest,
): bigint {
  return price.price({
    ...{ promptTokens, cachedTokens: 0, cacheCreationTokens: 0 },
    completionTokens: namedTokens ?? entry.chat.default_output_tokens,
    requestedTier: request.service_tier ?? undefined,
  })
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
