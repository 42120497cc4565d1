import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'

/**
 * Disables the keys of an account that a user created, in a transaction. Pass the result to `announceKeyChanges` after
 * the commit.
 */
export async function disableKeysOf(
  sql: SqlTransaction,
  { accountId, userId, now }: { accountId: string; userId: string; now: Date },
): Promise<{ keyId: string; revision: bigint }[]> {
  return sql<{ keyId: string; revision: bigint }[]>`
    update api_keys set disabled = true, updated_at = ${now}, revision = revision + 1
    where account_id = ${accountId} and id in (
      select id from api_keys
      where account_id = ${accountId} and created_by = ${userId} and revoked_at is null and not disabled
      order by id for no key update)
    returning id as "keyId", revision`
}
