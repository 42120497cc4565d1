import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Config } from '../../../platform/config/read-config.ts'

/** Finds the public key that a foreign issuer's token names; fetched once and kept for a while. */
export type ForeignKeys = JWTVerifyGetKey

/** Opens the keys of the foreign issuer, where one is set. Throws when it has no name. */
export function openForeignKeys({ foreignJwksUrl, foreignIssuer }: Config): ForeignKeys | undefined {
  if (foreignJwksUrl === '') return undefined
  if (foreignIssuer === '') throw new Error('FOREIGN_ISSUER must name the issuer of FOREIGN_JWKS_URL')
  return createRemoteJWKSet(new URL(foreignJwksUrl), { timeoutDuration: 5000, cooldownDuration: 5000 })
}
