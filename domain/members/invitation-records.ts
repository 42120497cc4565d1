import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { type Role, roles } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { mayManageRole, scopesOf } from '../callers/scopes.ts'
import type { Context } from '../context.ts'

/** An invitation that was neither accepted nor revoked. */
export interface Invitation {
  id: string
  email: string
  role: Role
  /** The ID of the user who sent it; null if a key or a user of a foreign issuer did. */
  invitedBy: string | null
  createdAt: Date
  /** When the latest e-mail was requested. */
  sentAt: Date
  expiresAt: Date
}

/** Newest first. */
export const invitationOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Returns the position of an invitation in that order. Creation times are whole milliseconds. */
export function positionOfInvitation({ createdAt, id }: Invitation): Position {
  return [String(createdAt.getTime() * 1000), id]
}

/** Lists a slice of the invitations of an account, newest first. */
export async function listInvitations(
  { sql }: Pick<Context, 'sql'>,
  { accountId, slice }: { accountId: string; slice: Slice },
): Promise<Invitation[]> {
  const { where, end } = keyset(sql, invitationOrder, slice)
  return sql<Invitation[]>`
    select ${columns(sql)} from invitations where account_id = ${accountId} ${where} ${end}`
}

/** Counts the invitations of an account. */
export async function countInvitations(
  { sql }: { sql: Sql | SqlTransaction },
  { accountId }: { accountId: string },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from invitations where account_id = ${accountId}`
  return row?.total ?? 0
}

/** Finds invitations of an account by their IDs, in any order. Unknown IDs are skipped. */
export async function findInvitations(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Invitation[]> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return []
  return sql<Invitation[]>`
    select ${columns(sql)} from invitations where account_id = ${accountId} and id = any (${known}::uuid[])`
}

/** Finds one invitation of an account. Throws `invitation_not_found`. */
export async function findInvitation(
  context: Pick<Context, 'sql'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Invitation> {
  const [invitation] = await findInvitations(context, { accountId, ids: [id] })
  if (invitation) return invitation
  throw new Problem('invitation_not_found')
}

/** Revokes the invitations that a user sent and could not send with the present role, in a transaction. */
export async function revokeInvitationsBy(
  sql: SqlTransaction,
  { accountId, userId, role }: { accountId: string; userId: string; role: Role | undefined },
): Promise<void> {
  const scopes = role ? scopesOf({ caller: { kind: 'session', accountId, userId, role } }) : []
  const refused = roles.filter(given => !mayManageRole(scopes, given))
  await sql`
    delete from invitations
    where account_id = ${accountId} and invited_by = ${userId} and role = any (${refused})`
}

/** Revokes the invitations that keys of a user sent, in a transaction. */
export async function revokeInvitationsByKeysOf(
  sql: SqlTransaction,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<void> {
  await sql`
    delete from invitations where account_id = ${accountId} and invited_by_key in (
      select id from api_keys where account_id = ${accountId} and created_by = ${userId})`
}

/** Deletes invitations that expired more than a month ago. Resolves to their number. */
export async function forgetInvitations({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const deleted = await sql`delete from invitations where expires_at < now() - interval '30 days'`
  return deleted.count
}

function columns(sql: Sql) {
  return sql`id, email, role, invited_by as "invitedBy", created_at as "createdAt", sent_at as "sentAt",
    expires_at as "expiresAt"`
}
