import type { Clock } from '../../platform/clock.ts'
import type { CatalogueEntry, ChatEntry } from '../../schema/catalog/entry.ts'
import type { Condition, TokenKind } from '../../schema/catalog/prices.ts'
import { parseDiscount, parsePrice, printDollars, printUnit } from './parse-price.ts'
import { type AtPresent, compilePeriods, type PricePeriod, periodsOf } from './price-periods.ts'
import { parsePercent } from './service-tiers.ts'

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

/** The rates of a model that apply from one day until another, in some hours of each day, or both, in UTC. */
export interface PricingPeriod {
  /** The first day; null if there is none. */
  from: string | null
  /** The day before which they end; null if they do not end. */
  until: string | null
  /** Ranges of the day, `01:00-04:00`; null for all of it. */
  hours: string[] | null
  rates: PricingRate[]
}

/** The prices of a model at another vendor that serves it. A request is charged the prices of the vendor that served. */
export interface PricedRoute {
  vendor: string
  /** Empty if they depend on the time. */
  rates: PricingRate[]
  /** The rates by time; empty if they do not depend on it. */
  periods: PricingPeriod[]
  surcharges: PricingRate[]
  discount: PricingRecord['discount']
}

/** The price of a service tier. */
export interface PricedTier {
  tier: string
  /** In percent of the rates. */
  percent: number
}

/** The pricing of a model in the API's format. Amounts are JSON numbers of dollars. */
export interface PricingRecord {
  model_id: string
  model: string
  modality: string
  currency: 'USD'
  /** The unit of `rates`: `1M tokens`, `second`, `image`. */
  unit: string
  /** The rates that apply now. */
  rates: PricingRate[]
  /** The rates by time, past and future ones too; empty if they do not depend on it. */
  periods: PricingPeriod[]
  surcharges: PricingRate[]
  /** The service tiers that a request can choose, the standard tier first; empty if the model has none. */
  service_tiers: PricedTier[]
  discount: { percent: number; charged_percent: number } | null
  /**
   * The prices of reading and writing a cached unit, and the minimum length of a cached prompt in tokens; null if the
   * model has no cache prices.
   */
  cache: { read: number | null; write: number | null; minimum_tokens: number } | null
  /** The prices at the other vendors that serve the model; empty if it has one vendor. */
  routes: PricedRoute[]
  updated_at: string
}

/** A model whose pricing is presented. */
interface Priced {
  entry: CatalogueEntry
  /** When its entry last changed. */
  updatedAt: Date
}

/**
 * Presents the pricing of models, each once per record and period, because parsing dozens of prices costs more than the
 * rest of a model list. Returns the function that presents the pricing of a record that applies now, in a shape of its
 * own. A change of a model creates a new record.
 */
export function openPresenter<Record extends Priced, Shape>(
  shape: (pricing: PricingRecord, record: Record) => Shape,
): (clock: Pick<Clock, 'now'>, record: Record) => Shape {
  const presented = new WeakMap<Record, AtPresent<Shape>>()
  return (clock, record) => {
    const known = presented.get(record)
    if (known) return known(clock)
    const periods = periodsOf<DeclaredRate>(record.entry.prices)
    const made = compilePeriods(periods, period => shape(presentPricing(record, period), record))
    presented.set(record, made)
    return made(clock)
  }
}

/** Presents the pricing of a model in one period. */
function presentPricing({ entry, updatedAt }: Priced, period: PricePeriod<DeclaredRate>): PricingRecord {
  const { present, presentPeriods, discount } = presenterOf(entry.modality, entry.prices)
  const rates = present(period.rates)
  return {
    model_id: entry.id,
    model: entry.model,
    modality: entry.modality,
    currency: 'USD',
    unit: rates[0]!.unit,
    rates,
    periods: presentPeriods(),
    surcharges: present(entry.prices.surcharges),
    service_tiers: entry.modality === 'chat' ? presentTiers(entry) : [],
    discount,
    cache: entry.modality === 'chat' ? presentCache(rates, entry) : null,
    routes: entry.modality === 'chat' ? presentRoutes(entry) : [],
    updated_at: updatedAt.toISOString(),
  }
}

/** The parts of prices that are presented alike for a model and for its routes. */
interface DeclaredPrices {
  rates: readonly DeclaredRate[]
  periods?: readonly PricePeriod<DeclaredRate>[] | undefined
  discount?: string | undefined
}

function presenterOf(modality: string, { periods = [], discount }: DeclaredPrices) {
  const percent = parseDiscount(discount)
  const present = (declared: readonly DeclaredRate[]) =>
    declared.map(rate => presentRate({ of: modality, ...rate }, percent))
  return {
    present,
    presentPeriods: (): PricingPeriod[] =>
      periods.map(each => ({
        from: each.from ?? null,
        until: each.until ?? null,
        hours: each.hours ?? null,
        rates: present(each.rates),
      })),
    discount: percent === 0n ? null : { percent: Number(percent), charged_percent: 100 - Number(percent) },
  }
}

function presentRoutes({ routes = [], prices: own, modality }: ChatEntry): PricedRoute[] {
  return routes.map(({ vendor, prices = own }) => {
    const { present, presentPeriods, discount } = presenterOf(modality, prices)
    return {
      vendor,
      rates: present(prices.rates),
      periods: presentPeriods(),
      surcharges: present(prices.surcharges),
      discount,
    }
  })
}

/** The common fields of the three kinds of rates in the catalogue. */
interface DeclaredRate {
  of?: string
  price: string
  when?: Condition | undefined
  above_prompt_tokens?: number | undefined
}

function presentRate(rate: DeclaredRate & { of: string }, percent: bigint): PricingRate {
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

function presentTiers({ prices }: ChatEntry): PricedTier[] {
  return (prices.service_tiers ?? []).map(({ tier, price }) => ({
    tier,
    percent: Number(parsePercent(price)),
  }))
}

function presentCache(rates: PricingRate[], { chat }: ChatEntry): PricingRecord['cache'] {
  const priceOf = (kind: TokenKind) =>
    rates.find(({ of, above_prompt_tokens }) => of === kind && above_prompt_tokens === null)?.price ?? null
  const [read, write] = [priceOf('cache_read'), priceOf('cache_write')]
  if (read === null && write === null) return null
  return { read, write, minimum_tokens: chat.minimum_cache_tokens }
}
