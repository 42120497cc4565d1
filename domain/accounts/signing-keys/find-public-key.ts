import { type CryptoKey, errors, importJWK } from 'jose'
import { SigningKeyEntity } from '../../../schema/entities/signing-keys.ts'
import type { ManagementContext } from '../../management-context.ts'
import { stillVerifies } from './list-public-keys.ts'

/** The public half of the signing key with that id. Throws a JOSEError where a token may not name it. */
export async function findPublicKey(
  context: ManagementContext,
  id: string | undefined,
): Promise<CryptoKey | Uint8Array> {
  const known = id !== undefined && /^[0-9A-Za-z]{16}$/.test(id)
  const key = known ? await context.em.findOne(SigningKeyEntity, { id, ...stillVerifies(context) }) : null
  if (!key) throw new errors.JWKSNoMatchingKey()
  return importJWK({ ...key.publicJwk }, 'EdDSA')
}
