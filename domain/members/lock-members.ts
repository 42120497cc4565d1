import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import type { KeyScope } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { Caller } from '../callers/caller.ts'
import { type Scope, scopesOf } from '../callers/scopes.ts'

/**
 * Locks the members of an account for the rest of a transaction, so that changes of members happen one after the other.
 * Returns the caller's scopes under the lock: another change may have demoted or removed the caller since the request
 * was authenticated. Throws `forbidden` if the caller no longer has one of the scopes.
 */
export async function lockMembers(
  sql: SqlTransaction,
  { caller, needs = [] }: { caller: Caller; needs?: readonly Scope[] },
): Promise<readonly Scope[]> {
  const { accountId } = caller
  await sql`select from accounts where id = ${accountId} for no key update`
  const scopes = scopesOf({ caller: await upToDate(sql, caller) })
  if (needs.every(scope => scopes.includes(scope))) return scopes
  throw new Problem('forbidden')
}

/**
 * Returns the caller with the present role or scopes. Sessions of a foreign issuer have the role in their token. A key is
 * locked too, because its revocation revokes the invitations that it sent.
 */
async function upToDate(sql: SqlTransaction, caller: Caller): Promise<Caller> {
  if (caller.kind === 'provisioning') {
    const [key] = await sql<{ scopes: KeyScope[] }[]>`
      select scopes from api_keys
      where account_id = ${caller.accountId} and id = ${caller.keyId} and revoked_at is null for share`
    if (!key) throw new Problem('unauthenticated')
    return { ...caller, scopes: key.scopes }
  }
  if (caller.kind !== 'session' || caller.familyId === undefined) return caller
  const role = await roleOf(sql, caller)
  if (!role) throw new Problem('token_expired')
  return { ...caller, role }
}

/** Returns the role of a user in an account; undefined if the user is not a member. */
export async function roleOf(
  sql: SqlTransaction,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<Role | undefined> {
  const [membership] = await sql<{ role: Role }[]>`
    select role from memberships where account_id = ${accountId} and user_id = ${userId}`
  return membership?.role
}

/** Throws `last_owner` unless the account has another owner than this one. */
export async function requireOtherOwner(
  sql: SqlTransaction,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<void> {
  const [other] = await sql`
    select true as exists from memberships where account_id = ${accountId} and role = 'owner' and user_id <> ${userId} limit 1`
  if (!other) throw new Problem('last_owner')
}
