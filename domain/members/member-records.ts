import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Role, UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'

/** A member of an account. Its ID is the ID of the user. */
export interface Member extends Pick<UserRow, 'id' | 'email' | 'name'> {
  emailConfirmedAt: Date | null
  role: Role
  joinedAt: Date
  /** When tokens of a session of the member in the account were last issued. */
  lastUsedAt: Date | null
  /** `joinedAt` in microseconds since 1970, for the position in the list. */
  joinedMicros: bigint
}

/** Earliest member first. */
export const memberOrder = [
  { name: 'joined_at', type: 'timestamptz', direction: 'asc' },
  { name: 'id', type: 'uuid', direction: 'asc' },
] as const satisfies KeysetOrder

/** Returns the position of a member in that order. */
export function positionOfMember({ joinedMicros, id }: Member): Position {
  return [String(joinedMicros), id]
}

/** Lists a slice of the members of an account, earliest first. */
export async function listMembers(
  { sql }: Pick<Context, 'sql'>,
  { accountId, slice }: { accountId: string; slice: Slice },
): Promise<Member[]> {
  const { where, end } = keyset(sql, memberOrder, slice)
  return sql<Member[]>`${membersOf(sql, accountId)} where true ${where} ${end}`
}

/** Counts the members of an account, up to `max`. */
export async function countMembers(
  { sql }: Pick<Context, 'sql'>,
  { accountId, max }: { accountId: string; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (
      select from memberships where account_id = ${accountId} limit ${max}
    ) counted`
  return row?.total ?? 0
}

/** Finds members of an account by the IDs of their users, in any order. Unknown IDs are skipped. */
export async function findMembers(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Member[]> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return []
  return sql<Member[]>`${membersOf(sql, accountId)} where id = any (${known}::uuid[])`
}

/** Finds one member of an account. Throws `member_not_found`. */
export async function findMember(
  context: Pick<Context, 'sql'>,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<Member> {
  const [member] = await findMembers(context, { accountId, ids: [userId] })
  if (member) return member
  throw new Problem('member_not_found')
}

function membersOf(sql: Sql, accountId: string) {
  return sql`
    select * from (
      select u.id, u.email, u.name, u.email_confirmed_at as "emailConfirmedAt", m.role, m.created_at as joined_at,
        m.created_at as "joinedAt", m.last_used_at as "lastUsedAt",
        (extract(epoch from m.created_at) * 1000000)::bigint as "joinedMicros"
      from memberships m join users u on u.id = m.user_id where m.account_id = ${accountId}
    ) members`
}
