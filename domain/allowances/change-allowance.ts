import { isUuid } from '../../platform/checks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { isResource } from '../../schema/allowances.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'

/** Maximum limit of a resource. It is well below the largest number that JSON represents exactly. */
export const maxLimit = 1e15

/** A change of an account's own limit of a resource. With null the limit of the tier applies again. */
export interface AllowanceChange {
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
): Promise<{ keyId: string; revision: bigint }[]> {
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
  return sql<
    { keyId: string; revision: bigint }[]
  >`select key_id as "keyId", revision from raise_revisions(${accountId})`
}
