import type { JWTPayload } from 'jose'
import type { Config } from '../../platform/config/read-config.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { AccountRefusal, Role } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context, ManagementContext } from '../context.ts'
import {
  signToken,
  stillVerifies,
  type TokenKind,
  type VerifiedPayload,
  verifyToken,
} from './signing-keys.ts'
import type { VerifiedToken, VerifiedTokens } from './verified-tokens.ts'

/** The claims of a session token: the account, the user and the session. */
export interface SessionClaims {
  accountId: string
  userId: string
  familyId: string
}

/** Returns the kind of session tokens. Their audience is the URL of this service that clients use. */
function kindOf({ baseUrl }: Config): TokenKind {
  return { type: 'JWT', audience: baseUrl }
}

/** Signs a session token that is valid for `accessTokenSeconds`. */
export async function signSessionToken(
  context: ManagementContext,
  { accountId, userId, familyId }: SessionClaims,
): Promise<{ accessToken: string; expiresAt: Date }> {
  const { token, expiresAt } = await signToken(context, {
    ...kindOf(context.config),
    claims: { account_id: accountId, sid: familyId, sub: userId },
    lifetimeSeconds: context.config.accessTokenSeconds,
  })
  return { accessToken: token, expiresAt }
}

/** The context for verifying a token. Without `verified`, each call verifies the signature. */
type Verification = Pick<Context, 'sql' | 'clock' | 'config'> & { verified?: VerifiedTokens | undefined }

/**
 * Verifies a session token (`verifyToken`). The session must not have ended. Throws `unauthenticated` for a forged token, `token_expired` if
 * the token has expired or the session has ended, `account_suspended`, `account_closed`.
 */
export async function verifySessionToken(
  context: Verification,
  token: string,
): Promise<SessionClaims & SessionState> {
  const known = context.verified?.find(token, context.clock.now())
  const verified = known ?? verifiedOf(await verifyToken(context, token, kindOf(context.config)))
  if (!known) context.verified?.remember(token, verified)
  const { isSigned, confirmedAt, refusal, role, lacksSecondFactor } = await readStanding(context, verified)
  if (!isSigned) throw new Problem('unauthenticated')
  if (!confirmedAt || !role) throw new Problem('token_expired')
  if (refusal) throw new Problem(refusal)
  return { ...verified.claims, role, confirmedAtMs: confirmedAt.getTime(), lacksSecondFactor }
}

/** The state of a session as of a request. */
export interface SessionState {
  /** The user's role in the account. */
  role: Role
  /** When the user last proved their identity, at log-in or by a confirmation. Milliseconds since 1970. */
  confirmedAtMs: number
  /** Whether the account requires a second factor, and the user has none. */
  lacksSecondFactor: boolean
}

/** The facts about a token that are read from Postgres. */
interface Standing {
  isSigned: boolean
  /** Null if the session has ended. */
  confirmedAt: Date | null
  /** The error with which the account's sessions are refused. */
  refusal: AccountRefusal | null
  /** The user's role in the account; null if the user is not a member. */
  role: Role | null
  lacksSecondFactor: boolean
}

function verifiedOf({ payload, signingKeyId, expiresAtMs }: VerifiedPayload): VerifiedToken {
  return { claims: claimsOf(payload), signingKeyId, expiresAtMs }
}

function claimsOf(payload: JWTPayload): SessionClaims {
  const { account_id: accountId, sub: userId, sid: familyId } = payload
  if (typeof accountId === 'string' && typeof userId === 'string' && typeof familyId === 'string')
    return { accountId, userId, familyId }
  throw new Problem('unauthenticated')
}

/**
 * Whether the key that signed a token is still valid, and the session has not ended. Log-out, and the second use of a
 * refresh token, take effect on the next request, and so does a change of the user's role.
 */
async function readStanding(
  context: Verification,
  { claims, signingKeyId }: VerifiedToken,
): Promise<Standing> {
  const { accountId, userId, familyId } = claims
  const [standing] = await context.sql<[Standing]>`
    select exists (select from signing_keys where id = ${signingKeyId} and ${stillVerifies(context)}) as "isSigned",
      (
        select confirmed_at from refresh_tokens
        where family_id = ${familyId} and account_id = ${accountId} and user_id = ${userId} and used_at is null
          and revoked_at is null and expires_at > ${new Date(context.clock.now())}
        limit 1
      ) as "confirmedAt",
      account_refusal(a.suspended_at, a.closed_at) as refusal,
      (select role from memberships where account_id = ${accountId} and user_id = ${userId}) as role,
      case when a.requires_second_factor then not (${hasSecondFactor(context.sql, userId)}
          or exists (select from identity_sessions where family_id = ${familyId})) else false end
        as "lacksSecondFactor"
    from (select) one left join accounts a on a.id = ${accountId}`
  return standing
}

/** The condition that a user has a second factor. An authenticator app counts once its first code was accepted. */
export function hasSecondFactor(sql: Sql | SqlTransaction, userId: string) {
  return sql`exists (select from second_factors where user_id = ${userId} and activated_at is not null)`
}
