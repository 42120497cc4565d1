import type { Subgraph } from '../frame/subgraph.ts'
import { AccountResolver } from './account-resolver.ts'

/** What an account owns, and what changed it. */
export const subgraph: Subgraph = {
  name: 'billing',
  resolvers: [AccountResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
  },
}
