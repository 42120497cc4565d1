import { findBudgets } from '../../domain/budgets/budget-records.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentBudget } from './budget.ts'
import { BudgetResolver } from './budget-resolver.ts'

const budgetById = batched({
  findAll: async (context, budgetIds) => {
    const { caller } = context
    if (!caller || caller.kind === 'key') return []
    return findBudgets(context, { accountId: caller.accountId, budgetIds })
  },
  idOf: ({ id }) => id,
})

/** Budgets (domain/budgets). */
export const subgraph: Subgraph = {
  name: 'budgets',
  resolvers: [BudgetResolver],
  references: {
    Budget: async (context, id) => {
      const record = await budgetById(context, id)
      return record && presentBudget(record)
    },
  },
}
