import { isUuid } from '../../platform/checks.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { standingOf } from '../allowances/standing.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { raiseKeyRevisions } from '../keys/raise-revisions.ts'
import type { BudgetSubject } from '../ledger/hold.ts'
import { type BudgetRecord, countBudgets, findBudget } from './budget-records.ts'
import { type BudgetAction, checkLimit, checkNewBudget, type GivenSubject } from './budget-settings.ts'

type BudgetContext = Pick<Context, 'sql' | 'config' | 'redis' | 'ids' | 'clock' | 'allowances'>

interface NewBudget {
  accountId: string
  subject: GivenSubject
  limitNanos: bigint
  action: BudgetAction
  resetInterval: ResetInterval
}

/**
 * Creates a budget, which counts from now on. When this resolves, it applies to every request. Throws `conflict` if the
 * subject has a budget, and `validation_failed`, also if the account has no such member or key, or as many budgets as its
 * allowance permits.
 */
export async function createBudget(
  context: BudgetContext,
  { accountId, subject: given, limitNanos, action, resetInterval }: NewBudget,
): Promise<BudgetRecord> {
  const subject = checkNewBudget(given, limitNanos)
  const { allowances, ids, clock } = context
  const maxBudgets = allowanceOf(allowances, await standingOf(allowances, accountId), 'budgets')
  const [id, createdAt] = [ids.uuid(), new Date(clock.now())]
  const { kind, key, value } = subject
  await changeBudgets(context, accountId, async sql => {
    await requireFewerThanMax(sql, { accountId, maxBudgets })
    await requireSubject(sql, { accountId, subject })
    const { count } = await sql`
      insert into budgets (account_id, id, kind, key, value, limit_nanos, action, reset_interval, created_at)
      values (
        ${accountId}, ${id}, ${kind}, ${key}, ${value}, ${limitNanos}, ${action}, ${resetInterval}, ${createdAt}
      ) on conflict do nothing`
    if (count === 0)
      throw new Problem('conflict', { message: `${conflictNames[kind]} already has a budget.` })
  })
  return findBudget(context, { accountId, budgetId: id })
}

const conflictNames: Readonly<Record<BudgetSubject['kind'], string>> = {
  account: 'The account',
  member: 'This member',
  api_key: 'This API key',
  tag: 'This tag',
  end_user: 'This end user',
}

/** The settings to change. Omitted ones keep their value. */
export interface BudgetChanges {
  limitNanos?: bigint | undefined
  action?: BudgetAction | undefined
  resetInterval?: ResetInterval | undefined
}

/**
 * Changes the limit, action or interval of a budget. The spending of every interval is counted, so another interval only selects
 * another counter. When this resolves, no process starts a call to a vendor under the earlier limit. Throws
 * `validation_failed`, `budget_not_found`.
 */
export async function updateBudget(
  context: BudgetContext,
  { accountId, budgetId, changes }: { accountId: string; budgetId: string; changes: BudgetChanges },
): Promise<BudgetRecord> {
  const { limitNanos = null, action = null, resetInterval = null } = changes
  if (limitNanos !== null) checkLimit(limitNanos)
  if (!isUuid(budgetId)) throw new Problem('budget_not_found')
  await changeBudgets(context, accountId, async sql => {
    const { count } = await sql`
      update budgets set limit_nanos = coalesce(${limitNanos}, limit_nanos), action = coalesce(${action}, action),
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
    const raised = await raiseKeyRevisions(sql, { accountId })
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

/** Throws `validation_failed` if a budget's subject is a member or key that the account does not have. */
async function requireSubject(
  sql: SqlTransaction,
  { accountId, subject: { kind, value } }: { accountId: string; subject: BudgetSubject },
): Promise<void> {
  if (kind === 'member') {
    const [member] = await sql`select from memberships where account_id = ${accountId} and user_id = ${value}`
    if (!member) refuseParam('memberId', 'must be the ID of a member of the account')
  }
  if (kind === 'api_key') {
    const [key] = await sql`
      select from api_keys where account_id = ${accountId} and id = ${value} and revoked_at is null`
    if (!key) refuseParam('apiKeyId', 'must be the ID of an API key of the account')
  }
}
