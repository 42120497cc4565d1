import { type AllowanceChange, changeAllowance } from '../allowances/change-allowance.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'

/**
 * Changes an account's own limit of a resource, and commits the change with its audit entry. Throws `validation_failed`,
 * and `not_found` if there is no such account.
 */
export async function setAllowance(
  context: Pick<Context, 'sql' | 'clock' | 'config' | 'redis'>,
  { action, ...change }: AllowanceChange & { action?: ActionMark | undefined },
): Promise<void> {
  const keys = await context.sql.begin(async transaction => {
    const raised = await changeAllowance({ sql: transaction, clock: context.clock }, change)
    if (action) await endAction({ sql: transaction }, action)
    return raised
  })
  await announceKeyChanges(context, { accountId: change.accountId, keys })
}
