import { LRUCache } from 'lru-cache'
import { withTimeout } from '../../platform/clock.ts'
import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import type { Budget, HoldBudgets } from '../ledger/hold.ts'
import {
  type AccountBudgets,
  matchingBudgets,
  type RequestKey,
  type RequestLabels,
  subjectName,
} from './matching-budgets.ts'

/** The budgets of accounts that this process knows. */
export interface BudgetCache {
  /**
   * Finds the budgets that count a request of an account; undefined if there are none. `budgetRevision` is part of the
   * key's copy. If it is zero, or not newer than the cached revision, nothing is read. Throws `unavailable` if Postgres
   * does not respond.
   */
  find(key: BudgetedKey, labels: RequestLabels): Promise<HoldBudgets>
}

interface BudgetedKey extends RequestKey {
  accountId: string
  budgetRevision: bigint
}

/** Maximum number of budgets, of all accounts together, that a process keeps. */
const maxBudgets = 200_000

/** Maximum duration of a statement, and of a request's wait including its time in the queue, in milliseconds. */
const readTimeoutMs = 2_000

/** Opens this process's cache. */
export function openBudgetCache(sql: Sql): BudgetCache {
  const entries = new LRUCache<string, { revision: bigint; budgets: AccountBudgets }>({
    maxSize: maxBudgets,
    sizeCalculation: ({ budgets }) => budgets.size + 1,
  })
  const reads = new GroupCommit<string, AccountBudgets>(accountIds =>
    withTimeout(readTimeoutMs, readBudgets(sql, accountIds)),
  )
  return {
    async find({ accountId, keyId, ownerId, budgetRevision: revision }, labels) {
      if (revision === 0n) return undefined
      const request = { keyId, ownerId, ...labels }
      const known = entries.get(accountId)
      if (known && known.revision >= revision) return matchingBudgets(known.budgets, request)
      const budgets = await withTimeout(readTimeoutMs, reads.add(accountId)).catch(cause => {
        throw new Problem('unavailable', { retryAfterSeconds: 1, cause })
      })
      if ((entries.get(accountId)?.revision ?? 0n) < revision) entries.set(accountId, { revision, budgets })
      return matchingBudgets(budgets, request)
    },
  }
}

/** Reads the budgets of accounts with one statement, in the order of the accounts. */
async function readBudgets(sql: Sql, accountIds: string[]): Promise<AccountBudgets[]> {
  const rows = await sql<(Budget & { accountId: string })[]>`
    select account_id as "accountId", id, kind, key, value from budgets where account_id = any(${accountIds}::uuid[])`
  const byAccount = new Map<string, Map<string, Budget>>(accountIds.map(id => [id, new Map()]))
  for (const { accountId, ...budget } of rows) byAccount.get(accountId)?.set(subjectName(budget), budget)
  return accountIds.map(id => byAccount.get(id)!)
}
