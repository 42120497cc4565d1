import type { TokenKind, TokenRate } from '../../schema/catalog/prices.ts'
import { parsePrice } from './parse-price.ts'

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
