import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { addMembership } from '../accounts/open-account.ts'
import { revokeInvitationsBy } from '../members/invitation-records.ts'
import type { VerifiedSignIn } from './claim-code.ts'

/**
 * Makes a user a member of the account of the user's domain, with the role of the claims, in a transaction. Of a
 * member, only the role changes. Throws `sign_in_refused` if the claims give no role, or if single sign-on added the
 * user before and the user was removed since: only an invitation brings a removed member back.
 */
export async function joinAccount(
  sql: SqlTransaction,
  { issuer, person }: VerifiedSignIn,
  { userId, accountId, now }: { userId: string; accountId: string; now: Date },
): Promise<void> {
  const { role } = person
  if (!role) throw refusal('Your groups at the identity provider give you no role in the account.')
  const account = await sql`select from accounts where id = ${accountId} for no key update`
  if (account.count === 0)
    throw new Problem('sign_in_refused', {
      internal: `The settings of ${issuer.name} name no account ${accountId}`,
    })
  const [member] = await sql<{ role: Role }[]>`
    select role from memberships where account_id = ${accountId} and user_id = ${userId}`
  const present = member?.role
  const joined = await sql`
    insert into identity_joins (user_id, account_id) values (${userId}, ${accountId}) on conflict do nothing`
  if (present)
    return followRole(sql, { accountId, userId, present, role, grantsOwners: grantsOwners(issuer) })
  if (joined.count === 0)
    throw refusal(
      'You were removed from the account. Ask a person who manages its members for an invitation.',
    )
  await addMembership(sql, { accountId, userId, role, now })
}

function grantsOwners({ roles, defaultRole }: VerifiedSignIn['issuer']): boolean {
  return defaultRole === 'owner' || roles.some(({ role }) => role === 'owner')
}

/** An issuer that makes no owners never changes the role of an owner. The last owner always stays. */
async function followRole(
  sql: SqlTransaction,
  args: { accountId: string; userId: string; present: Role; role: Role; grantsOwners: boolean },
): Promise<void> {
  const { accountId, userId, present, role } = args
  if (role === present) return
  if (present === 'owner') {
    const owners =
      await sql`select from memberships where account_id = ${accountId} and role = 'owner' limit 2`
    if (!args.grantsOwners || owners.count < 2) return
  }
  await sql`update memberships set role = ${role} where account_id = ${accountId} and user_id = ${userId}`
  await revokeInvitationsBy(sql, { accountId, userId, role })
}

export function refusal(message: string): Problem {
  return new Problem('sign_in_refused', { message })
}
