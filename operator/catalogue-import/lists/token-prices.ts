import { decimalText } from '../../../platform/money.ts'
import { type TokenKind, tokenKinds } from '../../../schema/catalog/prices.ts'

/** The prices of requests with more than `above` prompt tokens, in nano-dollars per million tokens. */
export interface PriceTier extends Partial<Record<TokenKind, bigint | undefined>> {
  above: number
  input: bigint
  output: bigint
}

/** The prices of a model: the tier above 0 tokens, then the tiers of longer prompts in ascending order. */
export type TokenPrices = readonly PriceTier[]

const decimal = /^(\d{1,30})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/

/**
 * Returns a price in nano-dollars per million tokens. `text` is decimal text of dollars for `tokens` tokens, with or
 * without an exponent. More than nine decimals are rounded. Returns undefined for anything else, such as a negative price.
 */
export function nanosPerMillion(text: unknown, tokens: 1 | 1_000_000 = 1_000_000): bigint | undefined {
  const [, whole, fraction = '', exponent = '0'] = (typeof text === 'string' && decimal.exec(text)) || []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + fraction)
  const places = Number(exponent) - fraction.length + 9 + (tokens === 1 ? 6 : 0)
  if (places >= 0) return digits * 10n ** BigInt(places)
  const divisor = 10n ** BigInt(-places)
  return (digits + divisor / 2n) / divisor
}

/** Whether a list has a price that `nanosPerMillion` cannot read. */
export function isUnreadable(price: unknown): boolean {
  return price !== undefined && price !== null && nanosPerMillion(price) === undefined
}

/** Returns the price with a margin added, rounded up. The margin is a percentage such as `10` or `2.5`. */
export function withMargin(priceNanos: bigint, margin: string): bigint {
  const [whole = '0', fraction = ''] = margin.split('.')
  const scale = 10n ** BigInt(fraction.length)
  const hundred = 100n * scale
  return (priceNanos * (hundred + BigInt(whole + fraction)) + hundred - 1n) / hundred
}

/** Prints a price as decimal text of dollars per million tokens. */
export function printDollars(priceNanos: bigint): string {
  return decimalText(priceNanos, 9)
}

/** Two prices of the same kind of token that differ. */
export interface PriceDifference {
  of: TokenKind
  above: number
  nanos: [first: bigint, second: bigint]
}

/**
 * Returns the prices that differ between two lists of prices, in each tier of either. Prices of cached tokens are only
 * compared if both lists have them.
 */
export function comparePrices(first: TokenPrices, second: TokenPrices): PriceDifference[] {
  const thresholds = [...new Set([...first, ...second].map(({ above }) => above))].sort((a, b) => a - b)
  return thresholds.flatMap(above =>
    tokenKinds.flatMap((of): PriceDifference[] => {
      const [one, other] = [priceAbove(first, above, of), priceAbove(second, above, of)]
      if (one === undefined || other === undefined || one === other) return []
      return [{ of, above, nanos: [one, other] }]
    }),
  )
}

/** Returns the price that applies above this number of prompt tokens. A tier inherits what it does not state. */
function priceAbove(prices: TokenPrices, above: number, of: TokenKind): bigint | undefined {
  return prices.findLast(tier => tier.above <= above && tier[of] !== undefined)?.[of]
}

/** Prints the kind of token and its tier: `input`, `output above 272000`. */
export function printKind({ of, above }: Pick<PriceDifference, 'of' | 'above'>): string {
  return above > 0 ? `${of} above ${above}` : of
}
