import { isUuid } from '../../platform/checks.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Caller } from '../callers/caller.ts'
import { mayManageRole } from '../callers/scopes.ts'
import type { Context } from '../context.ts'
import { revokeInvitationsBy } from './invitation-records.ts'
import { lockMembers, requireOtherOwner, roleOf } from './lock-members.ts'
import { findMember, type Member } from './member-records.ts'

/**
 * Changes the role of a member. It takes effect on the member's next request. A member who can no longer manage members
 * also loses the invitations that he or she sent. Throws `member_not_found`, `last_owner`, and `forbidden` if the
 * caller lacks a right of the present or the new role.
 */
export async function changeRole(
  context: Pick<Context, 'sql'>,
  args: { caller: Caller; userId: string; role: Role; action?: ActionMark | undefined },
): Promise<Member> {
  const { caller, userId, role, action } = args
  const { accountId } = caller
  if (!isUuid(userId)) throw new Problem('member_not_found')
  await context.sql.begin(async sql => {
    const scopes = await lockMembers(sql, { caller, needs: ['members'] })
    const present = await roleOf(sql, { accountId, userId })
    if (!present) throw new Problem('member_not_found')
    for (const one of [present, role]) if (!mayManageRole(scopes, one)) throw roleForbidden(one)
    if (present === 'owner' && role !== 'owner') await requireOtherOwner(sql, { accountId, userId })
    await sql`update memberships set role = ${role} where account_id = ${accountId} and user_id = ${userId}`
    if (role !== present) await revokeInvitationsBy(sql, { accountId, userId, role })
    if (action) await endAction({ sql }, action)
  })
  return findMember(context, { accountId, userId })
}

/** Returns the error of callers who lack a right of a role. */
export function roleForbidden(role: Role): Problem {
  return new Problem('forbidden', {
    message:
      role === 'owner'
        ? 'Only an owner of the account can add, change or remove owners.'
        : `The role ${role} has rights that you do not have, so you cannot add, change or remove its members.`,
  })
}
