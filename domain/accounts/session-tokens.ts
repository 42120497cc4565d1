import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'
import type { Config } from '../../platform/config/read-config.ts'
import { RefreshTokenEntity } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { currentSigningKey, findPublicKey } from './signing-keys.ts'

/** What a session token states: the account, the user, and the log-in that it comes from. */
export interface SessionClaims {
  accountId: string
  userId: string
  familyId: string
}

/** The one algorithm that signs and verifies session tokens. */
const sessionAlgorithm = 'EdDSA'

/** Issuer and audience of a session token: this service, by the address that clients use. */
function partiesOf(config: Config): { issuer: string; audience: string } {
  return { issuer: config.baseUrl, audience: config.baseUrl }
}

/** Signs a session token that is valid for `accessTokenSeconds`. */
export async function signSessionToken(
  context: ManagementContext,
  { accountId, userId, familyId }: SessionClaims,
): Promise<{ accessToken: string; expiresAt: Date }> {
  const { clock, config, ids } = context
  const { id, privateKey } = await currentSigningKey(context)
  const { issuer, audience } = partiesOf(config)
  const issuedAtSeconds = Math.floor(clock.now() / 1000)
  const expiresAtSeconds = issuedAtSeconds + config.accessTokenSeconds
  const accessToken = await new SignJWT({ account_id: accountId, sid: familyId })
    .setProtectedHeader({ alg: sessionAlgorithm, kid: id, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(userId)
    .setJti(ids.uuid())
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(expiresAtSeconds)
    .sign(privateKey)
  return { accessToken, expiresAt: new Date(expiresAtSeconds * 1000) }
}

/**
 * Verifies a session token. The algorithm is pinned, the key is looked up by its id among our own, and the
 * log-in must not have ended. Throws `unauthenticated` for a forgery, `token_expired` for a token that
 * expired or was logged out.
 */
export async function verifySessionToken(context: ManagementContext, token: string): Promise<SessionClaims> {
  const claims = claimsOf(await verify(context, token))
  if (!(await isLoggedIn(context, claims))) throw new Problem('token_expired')
  return claims
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

/** One look-up by index: log-out, and the second use of a refresh token, act on the very next request. */
async function isLoggedIn({ em, clock }: ManagementContext, claims: SessionClaims): Promise<boolean> {
  const valid = { ...claims, revokedAt: null, expiresAt: { $gt: new Date(clock.now()) } }
  return (await em.findOne(RefreshTokenEntity, valid, { fields: ['id'] })) !== null
}
