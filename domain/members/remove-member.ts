import { isUuid } from '../../platform/checks.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { endSessionsOf } from '../accounts/sessions.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Caller, SessionCaller } from '../callers/caller.ts'
import { mayManageRole } from '../callers/scopes.ts'
import type { Context } from '../context.ts'
import { disableKeysOf } from '../keys/disable-keys.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { roleForbidden } from './change-role.ts'
import { revokeInvitationsBy, revokeInvitationsByKeysOf } from './invitation-records.ts'
import { lockMembers, requireOtherOwner, roleOf } from './lock-members.ts'

type MembersContext = Pick<Context, 'sql' | 'clock' | 'config' | 'redis'>

/**
 * Removes a member from an account. The member's sessions in the account end, and the invitations that the member sent
 * are revoked. The API keys that the member created stay with the account; with `disablesKeys` they are disabled,
 * their invitations are revoked, and when this resolves no process uses them. Throws `member_not_found`, `last_owner`, and `forbidden` if the caller
 * lacks a right of the member's role. Resolves to the number of keys that were disabled.
 */
export async function removeMember(
  context: MembersContext,
  args: { caller: Caller; userId: string; disablesKeys: boolean; action?: ActionMark | undefined },
): Promise<{ disabledKeys: number }> {
  const { caller, userId, disablesKeys, action } = args
  const { accountId } = caller
  if (!isUuid(userId)) throw new Problem('member_not_found')
  const keys = await context.sql.begin(async sql => {
    const scopes = await lockMembers(sql, { caller, needs: ['members'] })
    const role = await roleOf(sql, { accountId, userId })
    if (role && !mayManageRole(scopes, role)) throw roleForbidden(role)
    const now = new Date(context.clock.now())
    await endMembership(sql, { accountId, userId, now })
    const disabled = disablesKeys ? await disableKeysOf(sql, { accountId, userId, now }) : []
    if (disablesKeys) await revokeInvitationsByKeysOf(sql, { accountId, userId })
    if (action) await endAction({ sql }, action)
    return disabled
  })
  await announceKeyChanges(context, { accountId, keys })
  return { disabledKeys: keys.length }
}

/**
 * Ends the membership of the caller in the account of the session. The keys that the caller created stay with the
 * account. Throws `last_owner`, and `member_not_found` for a user of a foreign issuer.
 */
export async function leaveAccount(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  { caller, action }: { caller: SessionCaller; action?: ActionMark | undefined },
): Promise<void> {
  const { accountId, userId } = caller
  if (!isUuid(userId)) throw new Problem('member_not_found')
  await sql.begin(async transaction => {
    await lockMembers(transaction, { caller })
    await endMembership(transaction, { accountId, userId, now: new Date(clock.now()) })
    if (action) await endAction({ sql: transaction }, action)
  })
}

/** Ends a membership and its sessions. A session that begins concurrently ends too, because it locks the membership. */
async function endMembership(
  sql: SqlTransaction,
  membership: { accountId: string; userId: string; now: Date },
): Promise<void> {
  const { accountId, userId, now } = membership
  const role = await roleOf(sql, membership)
  if (!role) throw new Problem('member_not_found')
  if (role === 'owner') await requireOtherOwner(sql, membership)
  await endSessionsOf(sql, membership)
  await sql`delete from memberships where account_id = ${accountId} and user_id = ${userId}`
  await sql`
    update refresh_tokens set revoked_at = ${now}
    where user_id = ${userId} and account_id = ${accountId} and revoked_at is null`
  await revokeInvitationsBy(sql, { accountId, userId, role: undefined })
}
