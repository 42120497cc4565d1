import { isRecord } from '../../../platform/checks.ts'
import { nanos, nanosOfDecimal } from '../../../platform/money.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import {
  ProviderPreferences,
  RoutingFields,
  type SortMeasure,
  type SortPreference,
} from '../../../schema/wire/routing.ts'
import { openCheck } from '../parse-chat-request.ts'

/** The preferences of a chat request about the models and vendors that serve it. */
export interface RoutingPreferences {
  /** The models to try after the requested one, in order. */
  models: readonly string[]
  provider: ProviderPreferences
  /** The measure by which the vendors of a model are ordered. */
  sort?: SortMeasure | undefined
  maxPrice: MaxPrice
  /** Whether only one route may be tried: `x-no-fallback: true`. */
  hasNoFallback: boolean
}

/** The preferences of a request without any. */
export const noPreferences: RoutingPreferences = {
  models: [],
  provider: {},
  maxPrice: {},
  hasNoFallback: false,
}

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

/** Fields of a body that are read here. No vendor receives them. */
const fieldNames = ['models', 'provider', 'usage'] as const

/**
 * Reads the preferences of a request of any protocol, and returns its body without them. `noFallback` is the header
 * `x-no-fallback`. Returns the same body if the request has none. OpenRouter's former field `usage`, which asked for the
 * cost, is removed too: every answer has its cost. Throws `invalid_request`, which names the field: for a wrong type, for
 * a list that is too long, and for a field that cannot be honoured.
 */
export function readPreferences(
  body: unknown,
  noFallback: string | string[] | undefined,
): { body: unknown; preferences: RoutingPreferences | undefined } {
  const hasNoFallback = readNoFallback(noFallback)
  const none = noFallback === undefined ? undefined : { ...noPreferences, hasNoFallback }
  if (!isRecord(body) || !fieldNames.some(name => name in body)) return { body, preferences: none }
  const { models: rawModels, provider: rawProvider, usage: _, ...rest } = body
  const { models, provider } = check({ models: rawModels, provider: rawProvider })
  if (!models && !provider) return { body: rest, preferences: none }
  refuseUnknown('provider', provider, ProviderPreferences.properties)
  const preferences = {
    models: models ?? [],
    provider: provider ?? {},
    sort: readSort(provider?.sort),
    maxPrice: readMaxPrice(provider?.max_price),
    hasNoFallback,
  }
  // A client that sends a list may leave out `model`.
  const isMissing = rest.model === undefined || rest.model === null
  return { body: { ...rest, ...(isMissing && models?.[0] && { model: models[0] }) }, preferences }
}

function readNoFallback(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'true' || header === 'false') return header === 'true'
  throw invalidParam('x-no-fallback', 'must be true or false')
}

/** Reads a measure, or an object that names it in `by`. Vendors are always compared within one model. */
function readSort(sort: SortPreference | null | undefined): SortMeasure | undefined {
  if (typeof sort === 'string') return sort
  refuseUnknown('provider.sort', sort, { by: '', partition: '' })
  return sort?.by ?? undefined
}

/** Refuses unknown fields that have an effect: a preference that is ignored would mislead the client. */
function refuseUnknown(path: string, value: unknown, known: object): void {
  if (!isRecord(value)) return
  for (const [name, setting] of Object.entries(value)) {
    if (Object.hasOwn(known, name) || hasNoEffect(setting)) continue
    throw invalidParam(`${path}.${name.slice(0, 100)}`, 'is not supported')
  }
}

function hasNoEffect(setting: unknown): boolean {
  if (Array.isArray(setting)) return setting.length === 0
  return setting === undefined || setting === null || setting === false
}

const maxPriceFields = { prompt: '', completion: '', request: '', image: '' }

/** Reads the highest prices. The catalogue has no price per request, so `request` is always kept. */
function readMaxPrice(given: ProviderPreferences['max_price']): MaxPrice {
  const path = 'provider.max_price'
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
