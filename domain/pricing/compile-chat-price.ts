import type { ChatPrices, TokenKind, TokenPeriod, TokenRate } from '../../schema/catalog/prices.ts'
import {
  calculatePrice,
  type Explanation,
  explain,
  listWithin,
  type PriceTerm,
  sumOf,
  type Tier,
} from './calculate-price.ts'
import { parseDiscount, parsePrice } from './parse-price.ts'
import { printPeriod } from './price-periods.ts'
import { compileServiceTiers } from './service-tiers.ts'

/** The usage of a chat request. Cached and cache-creating tokens are part of the prompt. */
export interface ChatUsage {
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  /** The number of images in the prompt, for models that have a price per image. */
  images?: number | undefined
  /** The requested service tier, as the client named it. */
  requestedTier?: string | undefined
  /** The service tier that the vendor reported. */
  reportedTier?: string | undefined
}

/** The maximum usage of a chat request. */
export interface ChatBounds {
  promptTokens: number
  outputTokens: number
  images?: number | undefined
  /** The requested service tier, as the client named it. */
  requestedTier?: string | undefined
}

/** The prices of one chat model. */
export interface ChatPrice {
  /** Returns the price of a request that ran, in nano-dollars. */
  price(usage: ChatUsage): bigint
  /** Returns the same price with its terms. */
  explain(usage: ChatUsage): Explanation
  /** Returns the price in the most expensive of the service tiers that a request for `requestedTier` may get. */
  highest(usage: ChatUsage): bigint
  /**
   * Returns the highest price of any request within the bounds, in nano-dollars, whichever part of its prompt is
   * cached, and whichever of the tiers that it may get the vendor serves it in.
   */
  estimate(bounds: ChatBounds): bigint
  /**
   * Returns the maximum number of output tokens for which the estimate is within the budget (`Number.MAX_SAFE_INTEGER`
   * if output is free). Returns undefined if the prompt alone exceeds the budget.
   */
  affordableOutput(prompt: Omit<ChatBounds, 'outputTokens'>, budgetNanos: bigint): number | undefined
}

/**
 * Compiles the prices of a chat model in one period once, so that pricing a request takes only a few multiplications. By
 * default, the prices have no periods.
 */
export function compileChatPrice(
  { rates, surcharges, discount, service_tiers }: ChatPrices,
  period: TokenPeriod = { rates },
): ChatPrice {
  const discountPercent = parseDiscount(discount)
  const extras = surcharges.map(imageTerm)
  const tiers = readTokenTiers(period.rates).map(tier => ({
    above: tier.above,
    used: { discountPercent, terms: [...usageTerms(tier), ...extras], period: printPeriod(period) },
    bound: { discountPercent, terms: [...boundTerms(tier), ...extras] },
    outputAttos: tier.highest.output,
  }))
  const tierOf = (promptTokens: number) => tiers.find(tier => promptTokens > tier.above)!
  const service = compileServiceTiers(service_tiers)
  const usedIn = (tier: Tier | undefined, { promptTokens }: ChatUsage) => {
    const { used } = tierOf(promptTokens)
    return tier ? { ...used, tier } : used
  }
  const usedBy = (usage: ChatUsage) => {
    const { requestedTier: requested, reportedTier: reported } = usage
    return usedIn(service?.charged({ requested, reported }), usage)
  }
  const boundOf = (bounds: Omit<ChatBounds, 'outputTokens'>) => {
    const { bound } = tierOf(bounds.promptTokens)
    const tier = service?.mostExpensive(bounds.requestedTier)
    return tier ? { ...bound, tier } : bound
  }

  return {
    price: usage => calculatePrice(usedBy(usage), usage),
    explain: usage => explain(usedBy(usage), usage),
    highest: usage => calculatePrice(usedIn(service?.mostExpensive(usage.requestedTier), usage), usage),
    estimate: bounds => calculatePrice(boundOf(bounds), bounds),
    affordableOutput(prompt, budgetNanos) {
      const { outputAttos } = tierOf(prompt.promptTokens)
      const bound = boundOf(prompt)
      const promptAttos = sumOf(bound.terms, { ...prompt, outputTokens: 0 })
      const leftAttos = listWithin(budgetNanos, bound) - promptAttos
      if (leftAttos < 0n) return undefined
      const max = outputAttos === 0n ? maxTokens : leftAttos / outputAttos
      return Number(max < maxTokens ? max : maxTokens)
    },
  }
}

const maxTokens = BigInt(Number.MAX_SAFE_INTEGER)

/** Cached tokens are limited to the prompt's tokens, because a vendor may report more by mistake. */
const cachedOf = (usage: ChatUsage) => Math.min(usage.cachedTokens, usage.promptTokens)
const createdOf = (usage: ChatUsage) =>
  Math.min(usage.cacheCreationTokens, usage.promptTokens - cachedOf(usage))
const freshOf = (usage: ChatUsage) => usage.promptTokens - cachedOf(usage) - createdOf(usage)

function usageTerms({ attos }: TokenTier): PriceTerm<ChatUsage>[] {
  return [
    { label: 'input', unit: 'token', attosPerUnit: attos.input, quantity: freshOf },
    { label: 'cache_read', unit: 'token', attosPerUnit: attos.cache_read, quantity: cachedOf },
    { label: 'cache_write', unit: 'token', attosPerUnit: attos.cache_write, quantity: createdOf },
    { label: 'output', unit: 'token', attosPerUnit: attos.output, quantity: usage => usage.completionTokens },
  ]
}

function boundTerms({ highest }: TokenTier): PriceTerm<ChatBounds>[] {
  return [
    { label: 'prompt', unit: 'token', attosPerUnit: highest.prompt, quantity: bounds => bounds.promptTokens },
    { label: 'output', unit: 'token', attosPerUnit: highest.output, quantity: bounds => bounds.outputTokens },
  ]
}

function imageTerm({ of, price }: { of: string; price: string }): PriceTerm<{ images?: number | undefined }> {
  const { unit, attosPerUnit } = parsePrice(price)
  return { label: of, unit, attosPerUnit, quantity: request => request.images ?? 0 }
}

/** The prices of requests whose prompt is longer than `above`, in atto-dollars per token. */
export interface TokenTier {
  above: number
  attos: Record<TokenKind, bigint>
  /** The highest price of a prompt token and of an output token in this tier and the tiers below. */
  highest: { prompt: bigint; output: bigint }
}

/**
 * Groups token rates into tiers, the highest threshold first; the last tier has no threshold. A kind of token without a
 * rate in a tier has the rate of the tier below. Cached tokens without any rate have the rate of input. Throws an Error
 * if input or output has no rate.
 */
export function readTokenTiers(rates: readonly TokenRate[]): TokenTier[] {
  const thresholds = [...new Set(rates.map(thresholdOf))].sort((a, b) => a - b)
  const tiers: TokenTier[] = []
  for (const above of [Number.NEGATIVE_INFINITY, ...thresholds.filter(Number.isFinite)]) {
    const attos = attosAt(rates, above)
    const below = tiers[0]?.highest
    tiers.unshift({
      above,
      attos,
      highest: {
        prompt: maxOf(attos.input, attos.cache_read, attos.cache_write, below?.prompt ?? 0n),
        output: maxOf(attos.output, below?.output ?? 0n),
      },
    })
  }
  return tiers
}

function attosAt(rates: readonly TokenRate[], above: number): Record<TokenKind, bigint> {
  const reached = rates
    .filter(rate => thresholdOf(rate) <= above)
    .sort((a, b) => thresholdOf(b) - thresholdOf(a))
  const find = (kind: TokenKind) => {
    const rate = reached.find(({ of }) => of === kind)
    return rate && parsePrice(rate.price).attosPerUnit
  }
  const input = find('input')
  const output = find('output')
  if (input === undefined || output === undefined) {
    throw new Error(`${input === undefined ? 'input' : 'output'} tokens have no price`)
  }
  return { input, output, cache_read: find('cache_read') ?? input, cache_write: find('cache_write') ?? input }
}

function thresholdOf(rate: TokenRate): number {
  return rate.above_prompt_tokens ?? Number.NEGATIVE_INFINITY
}

function maxOf(...amounts: bigint[]): bigint {
  let highest = 0n
  for (const amount of amounts) if (amount > highest) highest = amount
  return highest
}
