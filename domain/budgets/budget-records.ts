import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { Budget } from '../ledger/hold.ts'
import type { BudgetAction } from './budget-settings.ts'

/** A budget for lists. */
export interface BudgetRecord extends Budget {
  limitNanos: bigint
  action: BudgetAction
  resetInterval: ResetInterval
  /** The amount spent in the current period. */
  spentNanos: bigint
  /** The amount reserved for requests and tasks in progress. */
  heldNanos: bigint
  /** The start of the current period: at the earliest when the budget was created. */
  periodStart: Date
  createdAt: Date
}

/** Newest first. */
export const budgetOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Returns the position of a budget in that order. Creation times are whole milliseconds. */
export function positionOfBudget({ createdAt, id }: Pick<BudgetRecord, 'createdAt' | 'id'>): Position {
  return [String(createdAt.getTime() * 1000), id]
}

/** Lists a slice of an account's budgets, newest first. */
export async function listBudgets(
  { sql }: Pick<Context, 'sql'>,
  { accountId, slice }: { accountId: string; slice: Slice },
): Promise<BudgetRecord[]> {
  const { where, end } = keyset(sql, budgetOrder, slice)
  return sql<BudgetRecord[]>`${budgetsOf(sql, accountId)} ${where} ${end}`
}

/** Counts the budgets of an account. */
export async function countBudgets(
  { sql }: { sql: Sql | SqlTransaction },
  { accountId }: { accountId: string },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from budgets where account_id = ${accountId}`
  return row?.total ?? 0
}

/** Finds budgets of an account by their IDs, in any order. Unknown IDs are left out. */
export async function findBudgets(
  { sql }: Pick<Context, 'sql'>,
  { accountId, budgetIds }: { accountId: string; budgetIds: readonly string[] },
): Promise<BudgetRecord[]> {
  const ids = budgetIds.filter(isUuid)
  if (ids.length === 0) return []
  return sql<BudgetRecord[]>`${budgetsOf(sql, accountId)} and id = any(${ids}::uuid[])`
}

/** Finds one budget of an account. Throws `budget_not_found`. */
export async function findBudget(
  context: Pick<Context, 'sql'>,
  { accountId, budgetId }: { accountId: string; budgetId: string },
): Promise<BudgetRecord> {
  const [budget] = await findBudgets(context, { accountId, budgetIds: [budgetId] })
  if (budget) return budget
  throw new Problem('budget_not_found')
}

function budgetsOf(sql: Sql, accountId: string) {
  return sql`
    select id, kind, key, value, limit_nanos as "limitNanos", action, reset_interval as "resetInterval",
      spent_in_window(reset_interval, counted_at, day_spent_nanos, week_spent_nanos, month_spent_nanos,
        total_spent_nanos, now()) as "spentNanos",
      (
        select coalesce(sum(h.in_use_nanos), 0)::bigint from holds h
        where h.account_id = b.account_id and b.id = any (h.budget_ids)
      ) as "heldNanos",
      window_start(reset_interval, created_at, now()) as "periodStart",
      created_at as "createdAt"
    from current_budgets b where account_id = ${accountId}`
}
