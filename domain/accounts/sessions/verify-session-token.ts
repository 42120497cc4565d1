import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { RefreshTokenEntity } from '../../../schema/entities/refresh-tokens.ts'
import { Problem } from '../../../schema/errors.ts'
import type { SessionCaller } from '../../callers/caller.ts'
import type { ManagementContext } from '../../management-context.ts'
import { findPublicKey } from '../signing-keys/find-public-key.ts'
import { partiesOf, type SessionClaims, sessionAlgorithm } from './session-claims.ts'

/**
 * Who a session token of ours belongs to. The algorithm is pinned, the key is looked up by its id among our own,
 * and the log-in must still stand.
 * Throws `unauthenticated` for a forgery, `token_expired` for one that has ended or was logged out.
 */
export async function verifySessionToken(context: ManagementContext, token: string): Promise<SessionCaller> {
  const claims = claimsOf(await verify(context, token))
  if (!(await logInStands(context, claims))) throw new Problem('token_expired')
  return { kind: 'session', ...claims }
}

async function verify(context: ManagementContext, token: string): Promise<JWTPayload> {
  const rules: JWTVerifyOptions = {
    ...partiesOf(context.config),
    algorithms: [sessionAlgorithm],
    typ: 'JWT',
    requiredClaims: ['exp', 'sub'],
    currentDate: new Date(context.clock.now()),
  }
  try {
    const { payload } = await jwtVerify(token, header => findPublicKey(context, header.kid), rules)
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Problem('token_expired', { cause: error })
    if (error instanceof errors.JOSEError) throw new Problem('unauthenticated', { cause: error })
    throw error
  }
}

function claimsOf(payload: JWTPayload): SessionClaims {
  const { account_id: accountId, sub: userId, sid: familyId } = payload
  if (typeof accountId === 'string' && typeof userId === 'string' && typeof familyId === 'string')
    return { accountId, userId, familyId }
  throw new Problem('unauthenticated')
}

/** One look-up by index: log-out and the theft of a refresh token act on the very next request. */
async function logInStands({ em, clock }: ManagementContext, claims: SessionClaims): Promise<boolean> {
  const standing = { ...claims, revokedAt: null, expiresAt: { $gt: new Date(clock.now()) } }
  return (await em.findOne(RefreshTokenEntity, standing, { fields: ['id'] })) !== null
}
