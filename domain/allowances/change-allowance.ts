import { isUuid } from '../../platform/checks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Resource } from '../../schema/allowances.ts'
import { Problem } from '../../schema/errors.ts'

/**
 * Sets an account's own limit of a resource, or removes it with null. All processes apply it within about a second.
 * Throws `not_found` if there is no such account.
 */
export async function changeAllowance(
  { sql, clock }: { sql: Sql; clock: Clock },
  { accountId, resource, limit }: { accountId: string; resource: Resource; limit: number | null },
): Promise<void> {
  const { count } = isUuid(accountId)
    ? await sql`
        update accounts set updated_at = ${new Date(clock.now())},
          allowances = case when ${limit}::bigint is null then allowances - ${resource}
            else allowances || jsonb_build_object(${resource}::text, ${limit}::bigint) end
        where id = ${accountId}`
    : { count: 0 }
  if (count === 0) throw new Problem('not_found', { message: `There is no account ${accountId}.` })
}
