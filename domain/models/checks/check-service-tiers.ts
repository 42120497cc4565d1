import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import { anyTier } from '../../../schema/catalog/prices.ts'
import { parsePrice } from '../../pricing/parse-price.ts'
import { ratesByPath } from './check-periods.ts'
import type { Report } from './report.ts'

/** Every price of a model with service tiers and a discount is a multiple of this, in attos. */
const exactAttos = 10_000n

/**
 * Checks that service tiers have one standard tier, different names, and a format whose answers report them, and that no
 * discount on them makes a part of an atto-dollar.
 */
export function checkServiceTiers({ chat, prices, upstream }: ChatEntry, report: Report): void {
  const { service_tiers: tiers, discount } = prices
  if (!tiers) return
  if (upstream.adapter !== 'openai-chat') {
    report(['prices', 'service_tiers'], `answers in the format ${upstream.adapter} report no service tier`)
  }
  if (chat.priced_parameters?.includes('service_tier')) {
    report(['prices', 'service_tiers'], 'service_tier is also one of priced_parameters')
  }
  if (tiers[0]?.price !== '100 %') {
    report(['prices', 'service_tiers', 0, 'price'], 'must be 100 %: the first is the standard tier')
  }
  const seen = new Set<string>([anyTier])
  tiers.forEach(({ tier }, index) => {
    const message = tier === anyTier ? 'lets the vendor choose and has no price' : 'has a price already'
    if (seen.has(tier)) report(['prices', 'service_tiers', index, 'tier'], `${tier} ${message}`)
    seen.add(tier)
  })
  if (discount === undefined) return
  for (const [path, rates] of ratesByPath(prices)) {
    rates.forEach(({ price }, index) => {
      if (parsePrice(price).attosPerUnit % exactAttos === 0n) return
      report([...path, index, 'price'], 'has more than eight decimals, and both service tiers and a discount')
    })
  }
}
