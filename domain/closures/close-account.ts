import { isUuid } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { checkReason } from '../audit/check-reason.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { type RaisedKey, raiseKeyRevisions } from '../keys/raise-revisions.ts'

type ClosureContext = Pick<Context, 'config' | 'sql' | 'redis'>

interface Closure {
  accountId: string
  /** The operator's reason, 1 to 500 characters. The account's audit log shows it. */
  reason: string
  action?: ActionMark | undefined
}

/**
 * Closes an account for an operator. When this resolves, every API refuses its keys and sessions with `account_closed`,
 * and no process starts an upstream call with its keys. Work that a vendor has already accepted ends as usual, and its
 * holds with it; tasks that no vendor has accepted fail. After `CLOSED_ACCOUNT_DAYS`, a worker deletes the account's data
 * (`eraseAccounts`). If the account is already closed, the reason changes, and its owners can no longer reopen it. Throws
 * `validation_failed`, and `not_found` if there is no such account.
 */
export async function closeAccount(
  context: ClosureContext,
  { accountId, reason, action }: Closure,
): Promise<void> {
  const closingReason = checkReason(reason)
  if (!isUuid(accountId)) throw new Problem('not_found')
  const keys = await context.sql.begin(async sql => {
    const closed = await markClosed(sql, context.config, { accountId, reason: closingReason })
    if (action) await endAction({ sql }, action)
    return closed.keys
  })
  await announceKeyChanges(context, { accountId, keys })
}

/**
 * Reopens a closed account for an operator: its keys and sessions work again, unless it is suspended. Throws
 * `validation_failed`, `not_found` if there is no such account, and `conflict` if it is not closed or the deletion of its
 * data has begun.
 */
export async function reopenAccount(
  context: ClosureContext,
  { accountId, reason, action }: Closure,
): Promise<void> {
  checkReason(reason)
  if (!isUuid(accountId)) throw new Problem('not_found')
  const keys = await context.sql.begin(async sql => {
    await lockClosed(sql, { accountId })
    const raised = await markOpen(sql, { accountId })
    if (action) await endAction({ sql }, action)
    return raised
  })
  await announceKeyChanges(context, { accountId, keys })
}

/**
 * Marks an account as closed, in a transaction, raises the revisions of its keys, and voids earlier links that reopen it.
 * Resolves to the times of the closing and of the deletion, and the keys for `announceKeyChanges`. Throws `not_found`.
 */
export async function markClosed(
  sql: SqlTransaction,
  { closedAccountDays }: Pick<Config, 'closedAccountDays'>,
  { accountId, reason }: { accountId: string; reason: string },
): Promise<{ times: { closedAt: Date; eraseAt: Date }; keys: RaisedKey[] }> {
  const [closed] = await sql<{ closedAt: Date; eraseAt: Date }[]>`
    update accounts set closed_at = coalesce(closed_at, now()), closing_reason = ${reason}, updated_at = now(),
      erase_at = case when closed_at is null then now() + make_interval(days => ${closedAccountDays}) else erase_at end
    where id = ${accountId} returning closed_at as "closedAt", erase_at as "eraseAt"`
  if (!closed) throw noSuchAccount(accountId)
  await voidLinks(sql, { accountId })
  return { times: closed, keys: await raiseKeyRevisions(sql, { accountId }) }
}

/**
 * Locks a closed account until the transaction ends. Throws `not_found` if there is no such account, and `conflict` if it
 * is not closed or the deletion of its data has begun.
 */
export async function lockClosed(sql: SqlTransaction, { accountId }: { accountId: string }): Promise<void> {
  const [account] = await sql<{ isClosed: boolean; isErased: boolean }[]>`
    select closed_at is not null as "isClosed", erased_at is not null as "isErased" from accounts
    where id = ${accountId} for update`
  if (!account) throw noSuchAccount(accountId)
  if (!account.isClosed) throw new Problem('conflict', { message: 'The account is not closed.' })
  if (account.isErased)
    throw new Problem('conflict', {
      message: 'The account cannot be reopened: the deletion of its data has begun.',
    })
}

/**
 * Marks a locked account as open, raises the revisions of its keys, and voids the links that reopen it. Resolves to the keys
 * for `announceKeyChanges`.
 */
export async function markOpen(
  sql: SqlTransaction,
  { accountId }: { accountId: string },
): Promise<RaisedKey[]> {
  await sql`
    update accounts set closed_at = null, closing_reason = null, erase_at = null, updated_at = now()
    where id = ${accountId}`
  await voidLinks(sql, { accountId })
  return raiseKeyRevisions(sql, { accountId })
}

/** Voids the links that reopen an account. The account's row is locked. */
async function voidLinks(sql: SqlTransaction, { accountId }: { accountId: string }): Promise<void> {
  await sql`update mailed_links set used_at = now() where account_id = ${accountId} and used_at is null`
}

function noSuchAccount(accountId: string): Problem {
  return new Problem('not_found', { message: `There is no account ${accountId}.` })
}
