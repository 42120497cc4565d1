import type { Subgraph } from '../runtime/subgraph.ts'
import { KeyUsageResolver } from './usage.ts'
import { UsageResolver } from './usage-resolver.ts'

/** Usage that was counted when requests settled: of an account in groups, and of each API key. */
export const subgraph: Subgraph = {
  name: 'usage',
  resolvers: [UsageResolver, KeyUsageResolver],
  references: { ApiKey: async (_context, id) => ({ id }) },
}
