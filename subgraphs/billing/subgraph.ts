import type { Subgraph } from '../runtime/subgraph.ts'
import { AccountResolver, BalanceSubscription } from './balance.ts'
import { OperatorResolver } from './operator.ts'
import { findTopUp, TopUpResolver } from './top-up.ts'
import { findTransaction, TransactionResolver } from './transaction.ts'

/**
 * What an account owns, what changed it, and how dollars come in. An ordinary key may read balance and
 * transactions, and nothing else of billing (docs/behaviour.md, Management API).
 */
export const subgraph: Subgraph = {
  name: 'billing',
  resolvers: [AccountResolver, BalanceSubscription, TransactionResolver, TopUpResolver, OperatorResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    Transaction: findTransaction,
    TopUp: findTopUp,
  },
}
