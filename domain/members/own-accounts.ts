import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import {
  MembershipEntity,
  RefreshTokenEntity,
  type Role,
  UserEntity,
} from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { issueSession, lockFamily, type Session } from '../accounts/sessions.ts'
import type { SessionCaller } from '../callers/caller.ts'
import { requireAdmission } from '../callers/limited-sessions.ts'
import type { Context, ManagementContext } from '../context.ts'

/** An account of which a user is a member. */
export interface OwnAccount {
  accountId: string
  accountName: string
  role: Role
  joinedAt: Date
  /** `joinedAt` in microseconds since 1970, for the position in the list. */
  joinedMicros: bigint
}

/** The account that the user joined first. */
export const ownAccountOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'asc' },
  { name: 'account_id', type: 'uuid', direction: 'asc' },
] as const satisfies KeysetOrder

/** Returns the position of an account in that order. */
export function positionOfOwnAccount({ joinedMicros, accountId }: OwnAccount): Position {
  return [String(joinedMicros), accountId]
}

/** Lists a slice of the accounts of a user, in the order in which the user joined them. */
export async function listOwnAccounts(
  { sql }: Pick<Context, 'sql'>,
  { userId, slice }: { userId: string; slice: Slice },
): Promise<OwnAccount[]> {
  if (!isUuid(userId)) return []
  const { where, end } = keyset(sql, ownAccountOrder, slice)
  return sql<OwnAccount[]>`
    select account_id as "accountId", account_name as "accountName", role, created_at as "joinedAt",
      (extract(epoch from created_at) * 1000000)::bigint as "joinedMicros"
    from (
      select m.account_id, a.name as account_name, m.role, m.created_at
      from memberships m join accounts a on a.id = m.account_id where m.user_id = ${userId}
    ) own where true ${where} ${end}`
}

/** Counts the accounts of a user, up to `max`. */
export async function countOwnAccounts(
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
  const { userId, familyId = null } = caller
  await requireAdmission(context, { familyId: caller.familyId, accountId })
  const membership = { accountId, userId }
  return context.em.transactional(async em => {
    if (!isUuid(accountId) || (await em.count(MembershipEntity, membership)) === 0)
      throw new Problem('account_not_found', { param: 'accountId' })
    await em.findOne(UserEntity, { id: userId }, { lockMode: LockMode.PESSIMISTIC_READ })
    if (familyId) await lockFamily(em, familyId)
    const present = { familyId, userId, usedAt: null, revokedAt: null }
    const token = await em.findOne(RefreshTokenEntity, present)
    if (!token) throw new Problem('token_expired')
    const { beganAt, confirmedAt, endsAt = null } = token
    const family = { id: context.ids.uuid(), originId: token.originFamilyId ?? familyId, beganAt, endsAt }
    // A log-out at the issuer of the present session also ends the new one.
    await em.execute(
      `insert into identity_sessions (family_id, identity_id, issuer_session)
        select ?, identity_id, issuer_session from identity_sessions where family_id = ?`,
      [family.id, familyId],
    )
    return issueSession({ ...context, em }, { id: userId, accountId }, { address, confirmedAt, family })
  })
}
