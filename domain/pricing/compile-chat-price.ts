import type { ChatPrices, TokenKind, TokenRate } from '../../schema/catalog/prices.ts'
import { addUp, type Explanation, explain, listWithin, type PriceTerm, sumOf } from './add-up.ts'
import { parsePrice, readDiscount } from './parse-price.ts'

/** What a chat request used. Cached and cache-creating tokens are part of the prompt. */
export interface ChatUsage {
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  /** Images in the prompt, for the models that price them apart. */
  images?: number | undefined
}

/** What a chat request can use at most. */
export interface ChatBounds {
  promptTokens: number
  outputTokens: number
  images?: number | undefined
}

export interface ChatPrice {
  /** Nano-dollars of a request that ran. */
  price(usage: ChatUsage): bigint
  /** The same, with its reasons. */
  explain(usage: ChatUsage): Explanation
  /** Nano-dollars that no request within the bounds exceeds, however its prompt splits into cached and not. */
  estimate(bounds: ChatBounds): bigint
  /**
   * The most output tokens with which the estimate stays within the budget (`Number.MAX_SAFE_INTEGER` where output
   * is free); undefined when the prompt alone exceeds the budget.
   */
  affordableOutput(prompt: Omit<ChatBounds, 'outputTokens'>, budgetNanos: bigint): number | undefined
}

/** Prepares a chat model's prices once, so that pricing a request is a handful of multiplications. */
export function compileChatPrice(prices: ChatPrices): ChatPrice {
  const discountPercent = readDiscount(prices.discount)
  const extras = prices.surcharges.map(imageTerm)
  const tiers = readTokenTiers(prices.rates).map(tier => ({
    above: tier.above,
    used: { discountPercent, terms: [...usageTerms(tier), ...extras] },
    bound: { discountPercent, terms: [...boundTerms(tier), ...extras] },
    outputAttos: tier.dearest.output,
  }))
  const tierOf = (promptTokens: number) => tiers.find(tier => promptTokens > tier.above)!

  return {
    price: usage => addUp(tierOf(usage.promptTokens).used, usage),
    explain: usage => explain(tierOf(usage.promptTokens).used, usage),
    estimate: bounds => addUp(tierOf(bounds.promptTokens).bound, bounds),
    affordableOutput(prompt, budgetNanos) {
      const { bound, outputAttos } = tierOf(prompt.promptTokens)
      const promptAttos = sumOf(bound.terms, { ...prompt, outputTokens: 0 })
      const leftAttos = listWithin(budgetNanos, discountPercent) - promptAttos
      if (leftAttos < 0n) return undefined
      const most = outputAttos === 0n ? countless : leftAttos / outputAttos
      return Number(most < countless ? most : countless)
    },
  }
}

const countless = BigInt(Number.MAX_SAFE_INTEGER)

/** A vendor that counts more cached tokens than it had in the prompt is not believed. */
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

function boundTerms({ dearest }: TokenTier): PriceTerm<ChatBounds>[] {
  return [
    { label: 'prompt', unit: 'token', attosPerUnit: dearest.prompt, quantity: bounds => bounds.promptTokens },
    { label: 'output', unit: 'token', attosPerUnit: dearest.output, quantity: bounds => bounds.outputTokens },
  ]
}

function imageTerm({ of, price }: { of: string; price: string }): PriceTerm<{ images?: number | undefined }> {
  const { unit, attosPerUnit } = parsePrice(price)
  return { label: of, unit, attosPerUnit, quantity: request => request.images ?? 0 }
}

/** What tokens cost in requests whose prompt is longer than `above`. All amounts are attos per token. */
export interface TokenTier {
  above: number
  attos: Record<TokenKind, bigint>
  /** The dearest that a prompt token and an output token can cost here, or in any tier below. */
  dearest: { prompt: bigint; output: bigint }
}

/**
 * Reads token rates into tiers, the highest threshold first; the last one has none. A tier keeps what the one
 * below it says of a kind of token that it does not name. Cache kinds that are never named cost what input costs.
 * Throws an Error when input or output has no price.
 */
export function readTokenTiers(rates: readonly TokenRate[]): TokenTier[] {
  const thresholds = [...new Set(rates.map(thresholdOf))].sort((a, b) => a - b)
  const tiers: TokenTier[] = []
  for (const above of [Number.NEGATIVE_INFINITY, ...thresholds.filter(Number.isFinite)]) {
    const attos = attosAt(rates, above)
    const below = tiers[0]?.dearest
    tiers.unshift({
      above,
      attos,
      dearest: {
        prompt: most(attos.input, attos.cache_read, attos.cache_write, below?.prompt ?? 0n),
        output: most(attos.output, below?.output ?? 0n),
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

function most(...amounts: bigint[]): bigint {
  let dearest = 0n
  for (const amount of amounts) if (amount > dearest) dearest = amount
  return dearest
}
