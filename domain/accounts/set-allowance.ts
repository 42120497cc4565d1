import { isUuid } from '../../platform/checks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { isResource } from '../../schema/allowances.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { type RaisedKey, raiseKeyRevisions } from '../keys/raise-revisions.ts'

/** Maximum limit of a resource. It is well below the largest number that JSON represents exactly. */
export const maxLimit = 1e15

/** A change of an account's own limit of a resource. With null the limit of the tier applies again. */
interface AllowanceChange {
  accountId: string
  resource: string
  limit: number | null
}

/**
 * Sets or removes an account's own limit of a resource, and raises the revision of its keys, which it returns. All processes
 * apply the change within about a second, or at once if the keys are announced. Throws `validation_failed`, and `not_found` if
 * there is no such account.
 */
export async function changeAllowance(
  { sql, clock }: { sql: Sql | SqlTransaction; clock: Clock },
  { accountId, resource, limit }: AllowanceChange,
): Promise<RaisedKey[]> {
  if (!isResource(resource)) refuseParam('resource', 'must be one of docs/allowances.md')
  if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0 && limit <= maxLimit))
    refuseParam('limit', `must be a whole number from 0 to ${maxLimit}, or null for the limit of the tier`)
  const missing = new Problem('not_found', { message: `There is no account ${accountId}.` })
  if (!isUuid(accountId)) throw missing
  const { count } = await sql`
    update accounts set updated_at = ${new Date(clock.now())},
      allowances = case when ${limit}::bigint is null then allowances - ${resource}::text
        else allowances || jsonb_build_object(${resource}::text, ${limit}::bigint) end
    where id = ${accountId}`
  if (count === 0) throw missing
  return raiseKeyRevisions(sql, { accountId })
}

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
