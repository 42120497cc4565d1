import type { CatalogueEntry, ChatEntry } from '../../schema/catalog/entry.ts'
import type { Condition, TokenKind } from '../../schema/catalog/prices.ts'
import { parseDiscount, parsePrice, printDollars, printUnit } from './parse-price.ts'

/** One price in dollars. `price` is charged; `list_price` is the price before the discount. */
export interface PricingRate {
  /** The billed item: a kind of token, a modality, or the name of a surcharge. */
  of: string
  unit: string
  price: number
  list_price: number
  /** The parameter values for which the rate applies; null if it always applies. */
  when: Condition | null
  /** The number of prompt tokens above which the rate applies; null for the rate of all other prompts. */
  above_prompt_tokens: number | null
}

/** The pricing of a model in the API's format. Amounts are JSON numbers of dollars. */
export interface PricingRecord {
  model_id: string
  model: string
  modality: string
  currency: 'USD'
  /** The unit of `rates`: `1M tokens`, `second`, `image`. */
  unit: string
  rates: PricingRate[]
  surcharges: PricingRate[]
  discount: { percent: number; charged_percent: number } | null
  /**
   * The prices of reading and writing a cached unit, and the minimum length of a cached prompt in tokens; null if the
   * model has no cache prices.
   */
  cache: { read: number | null; write: number | null; minimum_tokens: number } | null
  updated_at: string
}

/** Presents the pricing of a model. `updatedAt` is when its entry last changed. */
export function presentPricing(entry: CatalogueEntry, { updatedAt }: { updatedAt: Date }): PricingRecord {
  const percent = parseDiscount(entry.prices.discount)
  const declared: DeclaredRate[] =
    entry.modality === 'chat'
      ? entry.prices.rates
      : entry.prices.rates.map(rate => ({ of: entry.modality, ...rate }))
  const rates = declared.map(rate => presentRate(rate, percent))
  return {
    model_id: entry.id,
    model: entry.model,
    modality: entry.modality,
    currency: 'USD',
    unit: rates[0]!.unit,
    rates,
    surcharges: entry.prices.surcharges.map(surcharge => presentRate(surcharge, percent)),
    discount: percent === 0n ? null : { percent: Number(percent), charged_percent: 100 - Number(percent) },
    cache: entry.modality === 'chat' ? presentCache(rates, entry) : null,
    updated_at: updatedAt.toISOString(),
  }
}

/** The common fields of the three kinds of rates in the catalogue. */
interface DeclaredRate {
  of: string
  price: string
  when?: Condition | undefined
  above_prompt_tokens?: number | undefined
}

function presentRate(rate: DeclaredRate, percent: bigint): PricingRate {
  const price = parsePrice(rate.price)
  const listAttos = price.attosPerUnit * price.per
  return {
    of: rate.of,
    unit: printUnit(price),
    price: Number(printDollars((listAttos / 100n) * (100n - percent))),
    list_price: Number(printDollars(listAttos)),
    when: rate.when ?? null,
    above_prompt_tokens: rate.above_prompt_tokens ?? null,
  }
}

function presentCache(rates: PricingRate[], { chat }: ChatEntry): PricingRecord['cache'] {
  const priceOf = (kind: TokenKind) =>
    rates.find(({ of, above_prompt_tokens }) => of === kind && above_prompt_tokens === null)?.price ?? null
  const [read, write] = [priceOf('cache_read'), priceOf('cache_write')]
  if (read === null && write === null) return null
  return { read, write, minimum_tokens: chat.minimum_cache_tokens }
}
