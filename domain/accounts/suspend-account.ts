import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { checkReason } from '../audit/check-reason.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { raiseKeyRevisions } from '../keys/raise-revisions.ts'

type SuspensionContext = Pick<Context, 'config' | 'sql' | 'redis'>

/**
 * Suspends an account. When this resolves, every API refuses the account's keys and sessions with `account_suspended`,
 * and no process starts an upstream call with its keys. If the account is already suspended, only the reason changes.
 * Throws `validation_failed`, and `not_found` if there is no such account.
 */
export async function suspendAccount(
  context: SuspensionContext,
  { accountId, reason, action }: { accountId: string; reason: string; action?: ActionMark | undefined },
): Promise<void> {
  await change(context, { accountId, reason: checkReason(reason), action })
}

/** Resumes a suspended account: its keys and sessions work again. Throws `not_found` if there is no such account. */
export async function resumeAccount(
  context: SuspensionContext,
  { accountId, action }: { accountId: string; action?: ActionMark | undefined },
): Promise<void> {
  await change(context, { accountId, reason: null, action })
}

/**
 * Commits the change with its audit entry and the new revision of every key, so that other processes apply it even if this one
 * dies. Then announces the keys.
 */
async function change(
  context: SuspensionContext,
  { accountId, reason, action }: { accountId: string; reason: string | null; action: ActionMark | undefined },
): Promise<void> {
  if (!isUuid(accountId)) throw new Problem('not_found')
  const keys = await context.sql.begin(async sql => {
    const changed = await sql`
      update accounts set suspension_reason = ${reason}, updated_at = now(),
        suspended_at = case when ${reason}::text is not null then coalesce(suspended_at, now()) end
      where id = ${accountId}`
    if (changed.count === 0) throw new Problem('not_found', { message: `There is no account ${accountId}.` })
    if (action) await endAction({ sql }, action)
    return raiseKeyRevisions(sql, { accountId })
  })
  await announceKeyChanges(context, { accountId, keys })
}
