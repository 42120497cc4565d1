import { anyTier, type ServiceTier } from '../../schema/catalog/prices.ts'
import type { Tier } from './calculate-price.ts'

/** The service tiers of a model, compiled. A tier of 100 % is undefined, like the standard tier. */
export interface CompiledTiers {
  /**
   * Returns the tier by which an answer is charged: the reported tier, or the requested one if the vendor reports none. A
   * tier without a price is the standard tier. A tier above `mostExpensive` is charged as `mostExpensive`.
   */
  charged(tiers: { requested: string | undefined; reported: string | undefined }): Tier | undefined
  /**
   * Returns the most expensive tier that a request may get: the requested tier, or the standard tier if that is more
   * expensive, because vendors may fall back to it. With `auto`, any tier.
   */
  mostExpensive(requested: string | undefined): Tier | undefined
}

/** Compiles service tiers once. Returns undefined if the model has none. */
export function compileServiceTiers(tiers: readonly ServiceTier[] | undefined): CompiledTiers | undefined {
  if (!tiers) return undefined
  const byName = new Map(
    tiers.map(({ tier, price }) => [tier, { name: tier, percent: parsePercent(price) }] as const),
  )
  for (const [name, { percent }] of byName) if (percent === 100n) byName.delete(name)
  const [mostExpensiveOfAll] = [...byName.values()].sort((one, other) => Number(other.percent - one.percent))
  const orStandard = (tier: Tier | undefined) => (tier && tier.percent > 100n ? tier : undefined)
  const mostExpensive = (name: string | undefined) =>
    orStandard(name === anyTier ? mostExpensiveOfAll : byName.get(name ?? ''))
  return {
    charged({ requested, reported = requested ?? '' }) {
      const [tier, max] = [byName.get(reported), mostExpensive(requested)]
      return tier && tier.percent > (max?.percent ?? 100n) ? max : tier
    },
    mostExpensive,
  }
}

/** Parses the price of a tier: 200n for `200 %`. */
export function parsePercent(price: string): bigint {
  return BigInt(price.slice(0, -2))
}
