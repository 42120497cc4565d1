import type { Subgraph } from '../runtime/subgraph.ts'
import { AccountBalanceResolver, BalanceSubscription } from './balance.ts'
import { OperatorResolver } from './operator.ts'
import { findTopUp, TopUpResolver } from './top-up.ts'
import { findTransaction, TransactionResolver } from './transaction.ts'

/**
 * Balance, transactions and top-ups. Ordinary API keys can read the balance and transactions, but nothing else of
 * billing (docs/behaviour.md, Management API).
 */
export const subgraph: Subgraph = {
  name: 'billing',
  resolvers: [
    AccountBalanceResolver,
    BalanceSubscription,
    TransactionResolver,
    TopUpResolver,
    OperatorResolver,
  ],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    Transaction: findTransaction,
    TopUp: findTopUp,
  },
}
