import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { isText, isUuid } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { AccountRefusal } from '../../schema/entities/accounts.ts'
import { type Role, roles } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { SessionClaims } from './session-tokens.ts'

/** Finds the public key that a token of the foreign issuer names. The key set is fetched and cached. */
export type ForeignKeys = JWTVerifyGetKey

/** Opens the key set of the foreign issuer, if one is configured. Throws if the issuer's name is missing. */
export function openForeignKeys({ foreignJwksUrl, foreignIssuer }: Config): ForeignKeys | undefined {
  if (foreignJwksUrl === '') return undefined
  if (foreignIssuer === '') throw new Error('FOREIGN_ISSUER must name the issuer of FOREIGN_JWKS_URL')
  return createRemoteJWKSet(new URL(foreignJwksUrl), { timeoutDuration: 5000, cooldownDuration: 5000 })
}

/** Public-key signatures only: anyone can create an unsigned token, or one with a shared secret. */
const algorithms = ['EdDSA', 'ES256', 'ES384', 'RS256', 'PS256']

/** The context for verifying a token. */
type Verification = Pick<Context, 'sql' | 'clock' | 'config'>

/**
 * Verifies a token of the foreign issuer. Its claim `account_id` names the account, `sub` names the user, and `role` the
 * user's role, by default `admin`. Throws `unauthenticated`, `token_expired`, and `unavailable` if the issuer's keys
 * cannot be fetched.
 */
export async function verifyForeignToken(
  context: Verification,
  token: string,
  keys: ForeignKeys,
): Promise<Omit<SessionClaims, 'familyId'> & { role: Role }> {
  const { account_id: accountId, sub: userId, role: named = 'admin' } = await verify(context, token, keys)
  if (typeof accountId !== 'string' || typeof userId !== 'string' || !isText(userId))
    throw new Problem('unauthenticated')
  const role = roles.find(known => known === named)
  if (!role) throw new Problem('unauthenticated')
  await requireActive(context, accountId)
  return { accountId, userId, role }
}

async function verify(context: Verification, token: string, keys: ForeignKeys): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer: context.config.foreignIssuer,
      ...(context.config.foreignAudience && { audience: context.config.foreignAudience }),
      requiredClaims: ['exp'],
      currentDate: new Date(context.clock.now()),
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Problem('token_expired', { cause: error })
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
      throw new Problem('unavailable', { cause: error, internal: 'The keys of the foreign issuer' })
    throw new Problem('unauthenticated', { cause: error })
  }
}

/** Throws `unauthenticated` if there is no such account, `account_suspended`, `account_closed`. */
async function requireActive({ sql }: Verification, id: string): Promise<void> {
  const [account] = isUuid(id)
    ? await sql<{ refusal: AccountRefusal | null }[]>`
        select account_refusal(suspended_at, closed_at) as refusal from accounts where id = ${id}`
    : []
  if (!account) throw new Problem('unauthenticated')
  if (account.refusal) throw new Problem(account.refusal)
}
