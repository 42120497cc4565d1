import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { ManagementContext } from '../context.ts'
import { endSessionsOf, logOut } from './sessions.ts'

/** A session that has not ended. */
export interface ActiveSession {
  id: string
  /** When the user logged in. */
  createdAt: Date
  /**
   * When the session's tokens were last issued, and the client's IP address at that time. The address is null for
   * sessions that an older version created.
   */
  lastUsedAt: Date
  address: string | null
  expiresAt: Date
}

type Reading = Pick<ManagementContext, 'sql' | 'clock'>
type Person = { accountId: string; userId: string }

/** Newest log-in first. */
export const sessionOrder = [
  { name: 'began_at', type: 'timestamptz', direction: 'desc' },
  { name: 'family_id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Lists a slice of a user's sessions, newest first. */
export async function listSessions(
  { sql, clock }: Reading,
  { slice, ...person }: Person & { slice: Slice },
): Promise<ActiveSession[]> {
  const { where, end } = keyset(sql, sessionOrder, slice)
  return sql<ActiveSession[]>`
    select ${columns(sql)} from refresh_tokens where ${active(sql, person, clock.now())} ${where} ${end}`
}

/** Counts a user's sessions, up to `max`. */
export async function countSessions(
  { sql, clock }: Reading,
  { max, ...person }: Person & { max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from refresh_tokens where ${active(sql, person, clock.now())} limit ${max}
    ) counted`
  return row?.total ?? 0
}

/** Finds sessions of a user by their IDs, in any order. Unknown IDs are skipped. */
export async function findSessions(
  { sql, clock }: Reading,
  { ids, ...person }: Person & { ids: readonly string[] },
): Promise<ActiveSession[]> {
  return sql<ActiveSession[]>`
    select ${columns(sql)} from refresh_tokens
    where ${active(sql, person, clock.now())} and family_id = any (${ids.filter(isUuid)}::uuid[])`
}

/** Ends a user's session. Its tokens are no longer accepted. Throws `not_found`. */
export async function endSession(
  context: ManagementContext,
  { id, ...person }: Person & { id: string },
): Promise<void> {
  const [session] = await findSessions(context, { ...person, ids: [id] })
  if (!session) throw new Problem('not_found')
  await logOut(context, { familyId: session.id })
}

/**
 * Ends a user's sessions except one, in every account, or only in one account. Their tokens are no longer accepted.
 * Resolves to the number of sessions that were ended.
 */
export async function endOtherSessions(
  { sql, clock, action }: Pick<ManagementContext, 'sql' | 'clock'> & { action?: ActionMark | undefined },
  { userId, familyId, accountId }: { userId: string; familyId: string; accountId?: string | undefined },
): Promise<number> {
  return sql.begin(async transaction => {
    const now = new Date(clock.now())
    const limits = accountId === undefined ? {} : { accountId }
    const ended = await endSessionsOf(transaction, { userId, now, except: familyId, ...limits })
    if (action) await endAction({ sql: transaction }, action)
    return ended
  })
}

/** The unused refresh token of a session represents the session. Each refresh replaces the token. */
function active(sql: Sql, { accountId, userId }: Person, nowMs: number) {
  const user = isUuid(userId) ? userId : null // users of a foreign issuer have their sessions there
  return sql`user_id = ${user} and account_id = ${accountId} and used_at is null and revoked_at is null
    and expires_at > ${new Date(nowMs)}`
}

function columns(sql: Sql) {
  return sql`family_id as id, began_at as "createdAt", created_at as "lastUsedAt", address, expires_at as "expiresAt"`
}
