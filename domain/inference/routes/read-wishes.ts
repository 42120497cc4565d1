import { isRecord } from '../../../platform/checks.ts'
import { nanos, nanosOfDecimal } from '../../../platform/money.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import { ProviderWishes, RoutingFields } from '../../../schema/wire/routing.ts'
import { openCheck } from '../parse-chat-request.ts'

/** The wishes of a chat request about the models and vendors that serve it. */
export interface RouteWishes {
  /** The models to try after the requested one, in order. */
  models: readonly string[]
  provider: ProviderWishes
  maxPrice: MaxPrice
  /** Whether only one route may be tried, `x-no-fallback: true`. */
  isAlone: boolean
}

/** The wishes of a request without any. */
export const noWishes: RouteWishes = { models: [], provider: {}, maxPrice: {}, isAlone: false }

/** The highest prices, in nano-dollars. Undefined fields are not limited. */
export interface MaxPrice {
  /** Of a million prompt tokens. */
  prompt?: bigint | undefined
  /** Of a million completion tokens. */
  completion?: bigint | undefined
  /** Of an image in the prompt. */
  image?: bigint | undefined
}

const check = openCheck(RoutingFields)

/**
 * Reads the wishes of a chat request of any protocol, and returns its body without them. `alone` is the header
 * `x-no-fallback`. Returns the same body if the request has none. Throws `invalid_request`, which names the field: for a
 * wrong type, for a list that is too long, and for a field that cannot be honoured.
 */
export function readWishes(
  body: unknown,
  alone: string | string[] | undefined,
): { body: unknown; wishes: RouteWishes | undefined } {
  const hasFields = isRecord(body) && ('models' in body || 'provider' in body)
  if (!hasFields && alone === undefined) return { body, wishes: undefined }
  const isAlone = readAlone(alone)
  if (!hasFields) return { body, wishes: { models: [], provider: {}, maxPrice: {}, isAlone } }
  const { models: rawModels, provider: rawProvider, ...rest } = body
  const { models, provider } = check({ models: rawModels, provider: rawProvider })
  refuseUnknown('provider', provider, ProviderWishes.properties)
  const wishes = { models: models ?? [], provider: provider ?? {}, maxPrice: readMaxPrice(provider), isAlone }
  // A client that sends a list may leave out `model`.
  return { body: { ...rest, ...(rest.model === undefined && models?.[0] && { model: models[0] }) }, wishes }
}

function readAlone(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'true' || header === 'false') return header === 'true'
  throw invalidParam('x-no-fallback', 'must be true or false')
}

/** Refuses unknown fields that have an effect: a preference that is ignored would mislead the client. */
function refuseUnknown(path: string, value: unknown, known: object): void {
  if (!isRecord(value)) return
  for (const [name, wish] of Object.entries(value)) {
    if (Object.hasOwn(known, name) || hasNoEffect(wish)) continue
    throw invalidParam(`${path}.${name.slice(0, 100)}`, 'is not supported')
  }
}

function hasNoEffect(wish: unknown): boolean {
  return wish === undefined || wish === null || wish === false || (Array.isArray(wish) && wish.length === 0)
}

const maxPriceFields = { prompt: '', completion: '', request: '', image: '' }

/** Reads the highest prices. The catalogue has no price per request, so `request` is always kept. */
function readMaxPrice(provider: ProviderWishes | null | undefined): MaxPrice {
  const path = 'provider.max_price'
  const given = provider?.max_price
  if (!given) return {}
  refuseUnknown(path, given, maxPriceFields)
  const read = (name: keyof typeof maxPriceFields) => readDollars(`${path}.${name}`, given[name])
  read('request')
  return { prompt: read('prompt'), completion: read('completion'), image: read('image') }
}

function readDollars(param: string, given: number | string | null | undefined): bigint | undefined {
  if (given === undefined || given === null) return undefined
  const amount = typeof given === 'number' ? nanos(given) : nanosOfDecimal(given)
  if (amount !== undefined && amount >= 0n) return amount
  throw invalidParam(param, 'must be dollars with at most nine decimals, and not negative')
}
