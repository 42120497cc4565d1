import { createHmac } from 'node:crypto'
import { dayMs } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { AccountRefusal } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context, ManagementContext } from '../context.ts'
import { peppersOf } from '../keys/key-text.ts'
import { rememberNetwork } from './known-networks.ts'
import { type SessionClaims, signSessionToken } from './session-tokens.ts'

/** The result of a log-in. */
export interface Session {
  accountId: string
  userId: string
  /** The access token: a JWT, sent as `Authorization: Bearer`. */
  accessToken: string
  expiresAt: Date
  /** The refresh token. It is valid for one refresh; using it twice ends the session. */
  refreshToken: string
}

/** The user and the account of a session. */
export interface SessionOwner {
  id: string
  accountId: string
}

/** A session that continues. */
export interface Family {
  id: string
  /** The log-in from which the user switched to this account, if any. */
  originId?: string | null
  beganAt: Date
  /** When the session ends even if it is refreshed. Null if it has no such limit. */
  endsAt: Date | null
}

/** A stored session whose session token is not signed yet. */
export interface StoredSession extends SessionClaims {
  refreshToken: string
}

/** How a session is stored. */
interface SessionTerms {
  /** The client's IP address. */
  address: string
  /** When the user last proved their identity. */
  confirmedAt: Date
  /** The session that continues. A session begins if it is missing. */
  family?: Family
}

/**
 * Stores a session of a member, or its next refresh token, in a transaction. The caller has checked who the user is.
 * Throws `account_suspended`, `account_closed`, and `token_expired` if the user is not a member of the account.
 */
export async function storeSession(
  sql: SqlTransaction,
  { clock, config, ids }: Pick<Context, 'clock' | 'config' | 'ids'>,
  { id: userId, accountId }: SessionOwner,
  { address, confirmedAt, family }: SessionTerms,
): Promise<StoredSession> {
  const now = new Date(clock.now())
  // The lock on the row lasts until the transaction ends, so a concurrent removal of the member ends this session too.
  const [account] = await sql<{ refusal: AccountRefusal | null }[]>`
    update memberships m set last_used_at = ${now} from accounts a
    where a.id = m.account_id and m.account_id = ${accountId} and m.user_id = ${userId}
    returning account_refusal(a.suspended_at, a.closed_at) as refusal`
  if (!account) throw new Problem('token_expired')
  if (account.refusal) throw new Problem(account.refusal)
  const refreshToken = mintRefreshToken(ids)
  const familyId = family?.id ?? ids.uuid()
  const endsAt = family?.endsAt ?? null
  const expiresAtMs = Math.min(now.getTime() + config.refreshTokenDays * dayMs, endsAt?.getTime() ?? Infinity)
  await sql`
    insert into refresh_tokens (id, family_id, origin_family_id, account_id, user_id, token_hash, address, began_at,
      confirmed_at, created_at, expires_at, ends_at)
    values (${ids.uuid()}, ${familyId}, ${family?.originId ?? null}, ${accountId}, ${userId},
      ${hashRefreshToken(config.keyPepper, refreshToken)}, ${address}, ${family?.beganAt ?? now}, ${confirmedAt}, ${now},
      ${new Date(expiresAtMs)}, ${endsAt})`
  return { accountId, userId, familyId, refreshToken }
}

/** Signs the session token of a stored session, after its transaction has been committed. */
export async function signSession(
  context: ManagementContext,
  { refreshToken, ...claims }: StoredSession,
): Promise<Session> {
  const { accountId, userId } = claims
  return { accountId, userId, refreshToken, ...(await signSessionToken(context, claims)) }
}

/** Begins the first session of a user who was just created. Log-ins store theirs together with the proof. */
export async function beginFirstSession(
  context: ManagementContext,
  owner: SessionOwner,
  { address }: { address: string },
): Promise<Session> {
  const confirmedAt = new Date(context.clock.now())
  const stored = await context.sql.begin(sql => storeSession(sql, context, owner, { address, confirmedAt }))
  return signSession(context, stored)
}

/**
 * Exchanges a refresh token for new tokens of the same session. Each token can be used once. A second use means that
 * the token was stolen, so it ends the session for both holders. Throws `token_expired`.
 */
export async function refreshSession(
  context: ManagementContext,
  { refreshToken, address }: { refreshToken: string; address: string },
): Promise<Session> {
  const { sql, clock, config } = context
  const now = new Date(clock.now())
  const hashes = peppersOf(config).map(pepper => hashRefreshToken(pepper, refreshToken))
  const [token] = await sql<(SessionClaims & { id: string })[]>`
    select id, family_id as "familyId", user_id as "userId", account_id as "accountId" from refresh_tokens
    where token_hash in ${sql(hashes)} and expires_at > ${now}`
  if (!token) throw new Problem('token_expired')

  const { familyId, userId, accountId } = token
  const stored = await sql.begin(async transaction => {
    await lockFamily(transaction, familyId)
    const replaced = await replaceToken(transaction, { id: token.id, now })
    if (!replaced) return undefined
    return storeSession(transaction, context, { id: userId, accountId }, { address, ...replaced })
  })
  if (stored) {
    await rememberNetwork(context, { userId, address })
    return signSession(context, stored)
  }
  await logOut(context, { familyId })
  throw new Problem('token_expired')
}

/**
 * Marks a refresh token as used. Resolves to its family and the family's last confirmation, or to undefined if the token
 * was used or revoked before.
 */
async function replaceToken(
  sql: SqlTransaction,
  { id, now }: { id: string; now: Date },
): Promise<{ family: Family; confirmedAt: Date } | undefined> {
  const [used] = await sql<(Family & { confirmedAt: Date })[]>`
    update refresh_tokens set used_at = ${now} where id = ${id} and used_at is null and revoked_at is null
    returning family_id as id, origin_family_id as "originId", began_at as "beganAt", ends_at as "endsAt",
      confirmed_at as "confirmedAt"`
  if (!used) return undefined
  const { confirmedAt, ...family } = used
  return { family, confirmedAt }
}

/** Records that the user of a session has proved their identity now. The session's next tokens inherit it. */
export async function confirmSession(
  sql: SqlTransaction,
  { familyId, now }: { familyId: string; now: Date },
): Promise<void> {
  await lockFamily(sql, familyId)
  await sql`
    update refresh_tokens set confirmed_at = ${now}
    where family_id = ${familyId} and used_at is null and revoked_at is null`
}

/**
 * Ends a session, and the sessions in other accounts to which the user switched from it. The tokens of their families are
 * no longer accepted.
 */
export async function logOut(
  { sql, clock }: Pick<ManagementContext, 'sql' | 'clock'>,
  { familyId }: { familyId: string },
): Promise<void> {
  await sql.begin(async transaction => {
    const list = () => transaction<{ id: string }[]>`
      select distinct family_id as id from refresh_tokens
      where (family_id = ${familyId} or origin_family_id = ${familyId}) and revoked_at is null order by family_id`
    await endListed(transaction, { list, now: new Date(clock.now()) })
  })
}

/**
 * Ends the active sessions that `list` returns, sorted, in a transaction. Resolves to them. The list is read twice: a
 * switch to another account may have begun a session while this waited for the lock of its family. While the families
 * are locked, there is no further switch.
 */
export async function endListed<Listed extends { id: string }>(
  sql: SqlTransaction,
  { list, now }: { list: () => Promise<readonly Listed[]>; now: Date },
): Promise<Listed[]> {
  const ended: Listed[] = []
  for (let turn = 0; turn < 2; turn++) {
    const listed = await list()
    await endFamilies(sql, { ids: listed.map(({ id }) => id), now })
    ended.push(...listed)
  }
  return ended
}

/**
 * Ends all sessions of a user except one, or only those in one account, in a transaction. Resolves to the number of
 * sessions that were ended.
 */
export async function endSessionsOf(
  sql: SqlTransaction,
  args: { userId: string; now: Date; accountId?: string; except?: string | null | undefined },
): Promise<number> {
  const { userId, now, accountId = null, except = null } = args
  const families = await sql<{ id: string }[]>`
    select distinct family_id as id from refresh_tokens
    where user_id = ${userId} and revoked_at is null and expires_at > ${now}
      and family_id is distinct from ${except}::uuid and (${accountId}::uuid is null or account_id = ${accountId})
    order by family_id`
  await endFamilies(sql, { ids: families.map(({ id }) => id), now })
  return families.length
}

/** Ends sessions, in a transaction. `ids` are sorted, so that concurrent calls lock them in the same order. */
export async function endFamilies(
  sql: SqlTransaction,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(id, 0)) from unnest(${[...ids]}::text[]) id`
  await sql`
    update refresh_tokens set revoked_at = ${now} where family_id = any (${[...ids]}::uuid[]) and revoked_at is null`
}

/** Locks a family, so that no token is issued while the family is being ended. */
export async function lockFamily(sql: SqlTransaction, familyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${familyId}, 0))`
}

/** Deletes refresh tokens that expired more than a week ago. Returns their number. */
export async function forgetRefreshTokens(context: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const gone = await context.sql`
    delete from refresh_tokens where expires_at < ${earlierNow(context)} - interval '7 days'`
  return gone.count
}

/** Creates the text of a new refresh token. */
function mintRefreshToken(ids: Ids): string {
  return `rb-refresh-${ids.secret(48)}`
}

/** Returns the stored form of a refresh token: its HMAC-SHA256 under the pepper. */
function hashRefreshToken(pepper: string, token: string): Buffer {
  return createHmac('sha256', pepper).update(token).digest()
}
