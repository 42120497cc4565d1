import type { Subgraph } from '../runtime/subgraph.ts'
import { ApiKeyResolver } from './usage.ts'
import { UsageResolver } from './usage-resolver.ts'

/** Usage as it was counted when requests settled: of an account, grouped, and of each key. */
export const subgraph: Subgraph = {
  name: 'usage',
  resolvers: [UsageResolver, ApiKeyResolver],
  references: { ApiKey: async (_context, id) => ({ id }) },
}
