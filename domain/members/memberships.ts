import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Role } from '../../schema/entities/accounts.ts'

/**
 * Adds a member to an account, in a transaction. Returns false if the user already is a member; the role then stays.
 */
export async function addMembership(
  sql: SqlTransaction,
  { accountId, userId, role, now }: { accountId: string; userId: string; role: Role; now: Date },
): Promise<boolean> {
  const added = await sql`
    insert into memberships (account_id, user_id, role, created_at) values (${accountId}, ${userId}, ${role}, ${now})
    on conflict do nothing`
  return added.count > 0
}

/** Returns the IDs of a user's accounts: active accounts first, and among them the account that the user used last. */
export async function accountsOf(
  sql: Sql | SqlTransaction,
  { userId }: { userId: string },
): Promise<string[]> {
  const accounts = await sql<{ id: string }[]>`
    select a.id from memberships m join accounts a on a.id = m.account_id where m.user_id = ${userId}
    order by a.suspended_at is not null, m.last_used_at desc nulls last, m.created_at, a.id`
  return accounts.map(({ id }) => id)
}
