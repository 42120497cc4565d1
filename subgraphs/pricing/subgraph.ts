import type { Subgraph } from '../runtime/subgraph.ts'
import { PriceQuoteResolver } from './price-quote.ts'
import { PricingResolver } from './pricing-resolver.ts'

/** The prices of models. */
export const subgraph: Subgraph = {
  name: 'pricing',
  resolvers: [PricingResolver, PriceQuoteResolver],
  references: { Model: async (_context, id) => ({ id }) },
}
