import { createHmac } from 'node:crypto'
import { dayMs } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { AccountEntity, MembershipEntity, RefreshTokenEntity } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context, ManagementContext } from '../context.ts'
import { peppersOf } from '../keys/key-text.ts'
import { rememberNetwork } from './known-networks.ts'
import { signSessionToken } from './session-tokens.ts'

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
interface Family {
  id: string
  /** The log-in from which the user switched to this account, if any. */
  originId?: string | null
  beganAt: Date
  /** When the session ends even if it is refreshed. Null if it has no such limit. */
  endsAt: Date | null
}

/**
 * Issues a session token and a refresh token to the client at an IP address. Begins a session if no family (the tokens
 * of a session) is given. `confirmedAt` is when the user last proved their identity. Log-ins use `beginSession`, which
 * also checks the second factor. Throws `account_suspended`, `account_closed`, and `token_expired` if the user is not a
 * member of the account.
 */
export async function issueSession(
  context: ManagementContext,
  { id: userId, accountId }: SessionOwner,
  { address, confirmedAt, family }: { address: string; confirmedAt: Date; family?: Family },
): Promise<Session> {
  const { em, clock, config, ids } = context
  const account = await em.findOne(AccountEntity, { id: accountId })
  if (account?.closedAt) throw new Problem('account_closed')
  if (account?.suspendedAt) throw new Problem('account_suspended')
  const refreshToken = mintRefreshToken(ids)
  const now = clock.now()
  // The lock on the row lasts until the transaction ends, so a concurrent removal of the member ends this session too.
  const used = { lastUsedAt: new Date(now) }
  if ((await em.nativeUpdate(MembershipEntity, { accountId, userId }, used)) === 0)
    throw new Problem('token_expired')
  const familyId = family?.id ?? ids.uuid()
  await em.insert(RefreshTokenEntity, {
    id: ids.uuid(),
    familyId,
    originFamilyId: family?.originId ?? null,
    accountId,
    userId,
    tokenHash: hashRefreshToken(config.keyPepper, refreshToken),
    address,
    beganAt: family?.beganAt ?? new Date(now),
    confirmedAt,
    createdAt: new Date(now),
    expiresAt: new Date(
      Math.min(now + config.refreshTokenDays * dayMs, family?.endsAt?.getTime() ?? Infinity),
    ),
    endsAt: family?.endsAt ?? null,
  })
  const token = await signSessionToken(context, { accountId, userId, familyId })
  return { accountId, userId, refreshToken, ...token }
}

/**
 * Exchanges a refresh token for new tokens of the same session. Each token can be used once. A second use means that
 * the token was stolen, so it ends the session for both holders. Throws `token_expired`.
 */
export async function refreshSession(
  context: ManagementContext,
  { refreshToken, address }: { refreshToken: string; address: string },
): Promise<Session> {
  const { em, clock, config } = context
  const now = new Date(clock.now())
  const hashes = peppersOf(config).map(pepper => hashRefreshToken(pepper, refreshToken))
  const token = await em.findOne(RefreshTokenEntity, { tokenHash: { $in: hashes } })
  if (!token || token.expiresAt <= now) throw new Problem('token_expired')

  const { familyId, userId, accountId } = token
  const session = await em.transactional(async transaction => {
    await lockFamily(transaction, familyId)
    const replaced = await replaceToken(transaction, { id: token.id, now })
    if (!replaced) return undefined
    return issueSession({ ...context, em: transaction }, { id: userId, accountId }, { address, ...replaced })
  })
  if (session) {
    await rememberNetwork(context, { userId, address })
    return session
  }
  await logOut(context, { familyId })
  throw new Problem('token_expired')
}

/**
 * Marks a refresh token as used. Resolves to its family and the family's last confirmation, or to undefined if the token
 * was used or revoked before.
 */
async function replaceToken(
  em: ManagementContext['em'],
  { id, now }: { id: string; now: Date },
): Promise<{ family: Family; confirmedAt: Date } | undefined> {
  const unused = { id, usedAt: null, revokedAt: null }
  if ((await em.nativeUpdate(RefreshTokenEntity, unused, { usedAt: now })) === 0) return undefined
  // Read under the lock of the family: a confirmation may have changed it since the token was looked up.
  const {
    familyId,
    originFamilyId: originId = null,
    beganAt,
    endsAt = null,
    confirmedAt,
  } = await em.findOneOrFail(RefreshTokenEntity, { id }, { refresh: true })
  return { family: { id: familyId, originId, beganAt, endsAt }, confirmedAt }
}

/** Records that the user of a session has proved their identity now. The session's next tokens inherit it. */
export async function confirmSession(
  sql: SqlTransaction,
  { familyId, now }: { familyId: string; now: Date },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${familyId}, 0))`
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
    const endAll = async () => {
      const families = await transaction<{ id: string }[]>`
        select distinct family_id as id from refresh_tokens
        where (family_id = ${familyId} or origin_family_id = ${familyId}) and revoked_at is null order by family_id`
      await endFamilies(transaction, { ids: families.map(({ id }) => id), now: new Date(clock.now()) })
    }
    await endAll()
    await endAll() // a switch that the first call waited for; while the families are locked, there is no other
  })
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
export async function lockFamily(em: ManagementContext['em'], familyId: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [familyId])
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
