import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { type Family, lockFamily, type Session, signSession, storeSession } from '../accounts/sessions.ts'
import type { SessionCaller } from '../callers/caller.ts'
import { requireAdmission } from '../callers/limited-sessions.ts'
import type { Context, ManagementContext } from '../context.ts'
import { roleOf } from './lock-members.ts'

/** An account of which a user is a member. */
export interface Membership {
  accountId: string
  accountName: string
  role: Role
  joinedAt: Date
  /** `joinedAt` in microseconds since 1970, for the position in the list. */
  joinedMicros: bigint
}

/** The account that the user joined first. */
export const membershipOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'asc' },
  { name: 'account_id', type: 'uuid', direction: 'asc' },
] as const satisfies KeysetOrder

/** Returns the position of an account in that order. */
export function positionOfMembership({ joinedMicros, accountId }: Membership): Position {
  return [String(joinedMicros), accountId]
}

/** Lists a slice of the accounts of a user, in the order in which the user joined them. */
export async function listMemberships(
  { sql }: Pick<Context, 'sql'>,
  { userId, slice }: { userId: string; slice: Slice },
): Promise<Membership[]> {
  if (!isUuid(userId)) return []
  const { where, end } = keyset(sql, membershipOrder, slice)
  return sql<Membership[]>`
    select account_id as "accountId", account_name as "accountName", role, created_at as "joinedAt",
      (extract(epoch from created_at) * 1000000)::bigint as "joinedMicros"
    from (
      select m.account_id, a.name as account_name, m.role, m.created_at
      from memberships m join accounts a on a.id = m.account_id where m.user_id = ${userId}
    ) own where true ${where} ${end}`
}

/** Counts the accounts of a user, up to `max`. */
export async function countMemberships(
  { sql }: Pick<Context, 'sql'>,
  { userId, max }: { userId: string; max: number },
): Promise<number> {
  if (!isUuid(userId)) return 0
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (
      select from memberships where user_id = ${userId} limit ${max}
    ) counted`
  return row?.total ?? 0
}

/**
 * Begins a session of the caller in another account. The present session stays valid; its log-out ends both. The new one
 * keeps the times of the log-in and of the last confirmation, so switching confirms nothing. A concurrent change of the password or of the
 * second factors waits for this transaction and then ends both. Throws `account_not_found` if the caller is not a member
 * of the account, `token_expired` if the present session has ended, `account_suspended`, `account_closed`, and
 * `forbidden` if users log in at a foreign issuer, or if the issuer of the session does not speak for the account.
 */
export async function switchAccount(
  context: ManagementContext,
  args: { caller: SessionCaller; accountId: string; address: string },
): Promise<Session> {
  requireOwnLogIn(context.config)
  const { caller, accountId, address } = args
  const { userId, familyId } = caller
  if (familyId === undefined) throw new Problem('token_expired')
  await requireAdmission(context, { familyId, accountId })
  const stored = await context.sql.begin(async sql => {
    if (!isUuid(accountId) || !(await roleOf(sql, { accountId, userId })))
      throw new Problem('account_not_found', { param: 'accountId' })
    await sql`select from users where id = ${userId} for share`
    await lockFamily(sql, familyId)
    const [present] = await sql<(Omit<Family, 'id'> & { confirmedAt: Date })[]>`
      select coalesce(origin_family_id, family_id) as "originId", began_at as "beganAt", ends_at as "endsAt",
        confirmed_at as "confirmedAt"
      from refresh_tokens
      where family_id = ${familyId} and user_id = ${userId} and used_at is null and revoked_at is null`
    if (!present) throw new Problem('token_expired')
    const { confirmedAt, ...origin } = present
    const family = { ...origin, id: context.ids.uuid() }
    // A log-out at the issuer of the present session also ends the new one.
    await sql`
      insert into identity_sessions (family_id, identity_id, issuer_session)
      select ${family.id}, identity_id, issuer_session from identity_sessions where family_id = ${familyId}`
    return storeSession(sql, context, { id: userId, accountId }, { address, confirmedAt, family })
  })
  return signSession(context, stored)
}
