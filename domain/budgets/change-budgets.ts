import { isUuid } from '../../platform/checks.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { standingOf } from '../allowances/standing.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { type BudgetRecord, countBudgets, findBudget } from './budget-records.ts'
import { checkLimit, checkNewBudget, type GivenSubject, subjectOf } from './budget-settings.ts'

type BudgetContext = Pick<Context, 'sql' | 'config' | 'redis' | 'ids' | 'clock' | 'allowances'>

interface NewBudget {
  accountId: string
  subject: GivenSubject
  limitNanos: bigint
  resetInterval: ResetInterval
}

/**
 * Creates a budget, which counts from now on. When this resolves, it limits every request. Throws `conflict` if the
 * subject has a budget, and `validation_failed`, also if the account has as many budgets as its allowance permits.
 */
export async function createBudget(
  context: BudgetContext,
  { accountId, subject, limitNanos, resetInterval }: NewBudget,
): Promise<BudgetRecord> {
  checkNewBudget(subject, limitNanos)
  const { allowances, ids, clock } = context
  const maxBudgets = allowanceOf(allowances, await standingOf(allowances, accountId), 'budgets')
  const [id, createdAt] = [ids.uuid(), new Date(clock.now())]
  const { kind, key, value } = subjectOf(subject)
  await changeBudgets(context, accountId, async sql => {
    await requireFewerThanMax(sql, { accountId, maxBudgets })
    const { count } = await sql`
      insert into budgets (account_id, id, kind, key, value, limit_nanos, reset_interval, created_at)
      values (${accountId}, ${id}, ${kind}, ${key}, ${value}, ${limitNanos}, ${resetInterval}, ${createdAt})
      on conflict do nothing`
    if (count === 0) throw new Problem('conflict', { message: 'This tag or end user already has a budget.' })
  })
  return findBudget(context, { accountId, budgetId: id })
}

/** The settings to change. Omitted ones keep their value. */
export interface BudgetChanges {
  limitNanos?: bigint | undefined
  resetInterval?: ResetInterval | undefined
}

/**
 * Changes the limit or interval of a budget. The spending of every interval is counted, so another interval only selects
 * another counter. When this resolves, no process starts a call to a vendor under the earlier limit. Throws
 * `validation_failed`, `budget_not_found`.
 */
export async function updateBudget(
  context: BudgetContext,
  { accountId, budgetId, changes }: { accountId: string; budgetId: string; changes: BudgetChanges },
): Promise<BudgetRecord> {
  const { limitNanos = null, resetInterval = null } = changes
  if (limitNanos !== null) checkLimit(limitNanos)
  if (!isUuid(budgetId)) throw new Problem('budget_not_found')
  await changeBudgets(context, accountId, async sql => {
    const { count } = await sql`
      update budgets set limit_nanos = coalesce(${limitNanos}, limit_nanos),
        reset_interval = coalesce(${resetInterval}, reset_interval)
      where account_id = ${accountId} and id = ${budgetId}`
    if (count === 0) throw new Problem('budget_not_found')
  })
  return findBudget(context, { accountId, budgetId })
}

/** Deletes a budget. It limits no further request. Throws `budget_not_found`. */
export async function deleteBudget(
  context: BudgetContext,
  { accountId, budgetId }: { accountId: string; budgetId: string },
): Promise<void> {
  if (!isUuid(budgetId)) throw new Problem('budget_not_found')
  await changeBudgets(context, accountId, async sql => {
    const { count } = await sql`delete from budgets where account_id = ${accountId} and id = ${budgetId}`
    if (count === 0) throw new Problem('budget_not_found')
  })
}

/**
 * Changes the budgets of an account while it is locked, so that two calls cannot both create the last budget or key, and
 * raises the revisions of its budgets and keys. The change comes last, because settlements wait for its row.
 */
async function changeBudgets(
  context: BudgetContext,
  accountId: string,
  change: (sql: SqlTransaction) => Promise<void>,
): Promise<void> {
  const keys = await context.sql.begin(async sql => {
    await sql`update accounts set budget_revision = budget_revision + 1 where id = ${accountId}`
    const raised = await sql<{ keyId: string; revision: bigint }[]>`
      select key_id as "keyId", revision from raise_revisions(${accountId})`
    await change(sql)
    return raised
  })
  await announceKeyChanges(context, { accountId, keys })
}

async function requireFewerThanMax(
  sql: SqlTransaction,
  { accountId, maxBudgets }: { accountId: string; maxBudgets: number },
): Promise<void> {
  if ((await countBudgets({ sql }, { accountId })) < maxBudgets) return
  const message = `The account may have at most ${maxBudgets} budgets. Delete a budget that you no longer use.`
  throw new Problem('validation_failed', { message })
}
