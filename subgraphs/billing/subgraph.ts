import type { Subgraph } from '../runtime/subgraph.ts'
import { AccountResolver } from './balance.ts'
import { TransactionResolver } from './transaction.ts'

/**
 * What an account owns, and what changed it. An ordinary key may read both, and nothing else of billing
 * (docs/behaviour.md, Management API).
 */
export const subgraph: Subgraph = {
  name: 'billing',
  resolvers: [AccountResolver, TransactionResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
  },
}
