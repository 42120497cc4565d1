import { isRecord } from '../../../platform/checks.ts'
import type { PriceList } from './lists.ts'
import { nanosPerMillion, type PriceTier, type TokenPrices } from './token-prices.ts'

/** Names of vendors that models.dev calls by another name. */
const providerNames: Readonly<Record<string, string>> = { xai: 'x-ai' }

/** Returns whether JSON has the format of the `data.json` of genai-prices: a list of vendors with `models`. */
export function isGenaiPrices(json: unknown): boolean {
  return Array.isArray(json) && json.some(provider => isRecord(provider) && Array.isArray(provider.models))
}

/** Reads the `data.json` of genai-prices, whose numbers are decimal text (`parseDecimalJson`). */
export function readGenaiPrices(json: unknown): PriceList {
  const providers = (Array.isArray(json) ? json : []).filter(isRecord)
  return {
    name: 'genai-prices',
    pricesOf({ provider, id }, day) {
      const vendor = providers.find(found => found.id === (providerNames[provider] ?? provider))
      const models = Array.isArray(vendor?.models) ? vendor.models.filter(isRecord) : []
      const model = models.find(found => found.id === id) ?? models.find(found => matches(found.match, id))
      return model && readPrices(model.prices, day)
    },
  }
}

/** Whether a rule such as `{or: [{equals: …}, {starts_with: …}]}` matches a model's ID. */
function matches(rule: unknown, id: string): boolean {
  if (!isRecord(rule)) return false
  const { equals, starts_with, ends_with, contains, or, and } = rule
  if (typeof equals === 'string') return id === equals
  if (typeof starts_with === 'string') return id.startsWith(starts_with)
  if (typeof ends_with === 'string') return id.endsWith(ends_with)
  if (typeof contains === 'string') return id.includes(contains)
  if (Array.isArray(or)) return or.some(part => matches(part, id))
  return Array.isArray(and) && and.every(part => matches(part, id))
}

/** Reads the prices that are valid on a day: of several, the last that has begun. */
function readPrices(prices: unknown, day: string): TokenPrices | string | undefined {
  if (!Array.isArray(prices)) return isRecord(prices) ? readTiers(prices) : undefined
  const dated = prices.filter(isRecord).map(({ constraint, prices: valid }) => ({
    constraint: isRecord(constraint) ? constraint : {},
    valid,
  }))
  if (dated.some(({ constraint }) => 'start_time' in constraint)) return 'has prices by the hour'
  const begun = dated.findLast(({ constraint }) => String(constraint.start_date ?? '') <= day)
  return begun && readPrices(begun.valid, day)
}

function readTiers(prices: Record<string, unknown>): TokenPrices | undefined {
  const kinds = ['input', 'output', 'cache_read', 'cache_write'] as const
  const tiersOf = (kind: (typeof kinds)[number]): [above: number, price: bigint | undefined][] => {
    const price = prices[`${kind}_mtok`]
    if (!isRecord(price)) return [[0, nanosPerMillion(price)]]
    const tiers = (Array.isArray(price.tiers) ? price.tiers : []).filter(isRecord)
    return [
      [0, nanosPerMillion(price.base)],
      ...tiers.map(({ start, price: tier }): [number, bigint | undefined] => [
        Number(start),
        nanosPerMillion(tier),
      ]),
    ]
  }
  const listed = kinds.map(kind => [kind, tiersOf(kind)] as const)
  const thresholds = [...new Set(listed.flatMap(([, tiers]) => tiers.map(([above]) => above)))].sort(
    (a, b) => a - b,
  )
  const read: PriceTier[] = []
  for (const above of thresholds) {
    const at = Object.fromEntries(
      listed.map(([kind, tiers]) => [kind, tiers.findLast(([from]) => from <= above)?.[1]]),
    )
    const { input, output } = at
    if (input === undefined || output === undefined) return undefined
    read.push({ ...at, above, input, output })
  }
  return read
}
