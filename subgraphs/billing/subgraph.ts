import type { Subgraph } from '../runtime/subgraph.ts'
import { AutomaticTopUpResolver } from './automatic-top-up.ts'
import { AccountBalanceResolver, BalanceSubscription } from './balance.ts'
import { BillingDetailsResolver } from './billing-details.ts'
import { OperatorResolver } from './operator.ts'
import { SavedCardResolver } from './saved-card.ts'
import { StuckTopUpResolver } from './stuck-top-ups.ts'
import { findTopUp, TopUpResolver } from './top-up.ts'
import { findTransaction, TransactionResolver } from './transaction.ts'

/**
 * Balance, transactions, top-ups, the saved card and billing details. Ordinary API keys can read the balance and transactions, but nothing else of
 * billing (docs/behaviour.md, Management API).
 */
export const subgraph: Subgraph = {
  name: 'billing',
  resolvers: [
    AccountBalanceResolver,
    BalanceSubscription,
    TransactionResolver,
    TopUpResolver,
    AutomaticTopUpResolver,
    SavedCardResolver,
    BillingDetailsResolver,
    OperatorResolver,
    StuckTopUpResolver,
  ],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    Transaction: findTransaction,
    TopUp: findTopUp,
  },
}
