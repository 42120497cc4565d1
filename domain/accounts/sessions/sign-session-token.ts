import { SignJWT } from 'jose'
import type { ManagementContext } from '../../management-context.ts'
import { currentSigningKey } from '../signing-keys/current-signing-key.ts'
import { partiesOf, type SessionClaims, sessionAlgorithm } from './session-claims.ts'

/** Signs a session token that lives for `accessTokenSeconds`. */
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
