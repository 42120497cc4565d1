import { exportJWK, generateKeyPair } from 'jose'
import { SigningKeyEntity, type SigningKeyRow } from '../../../schema/entities/signing-keys.ts'
import type { ManagementContext } from '../../management-context.ts'

/** Makes an Ed25519 key to sign session tokens with; its private half is sealed. */
export async function createSigningKey({
  em,
  vault,
  clock,
  ids,
}: Pick<ManagementContext, 'em' | 'vault' | 'clock' | 'ids'>): Promise<SigningKeyRow> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { kty, crv, x } = await exportJWK(pair.publicKey)
  if (kty === undefined || crv === undefined || x === undefined)
    throw new Error('A key without its public half')
  const id = ids.secret(16)
  const sealed = vault.seal(JSON.stringify(await exportJWK(pair.privateKey)), placeOfPrivateKey(id))
  const row = { id, publicJwk: { kty, crv, x }, privateJwkSealed: sealed, createdAt: new Date(clock.now()) }
  await em.insert(SigningKeyEntity, row)
  return { ...row, retiredAt: null }
}

/** Where the private half of a signing key is sealed to. */
export function placeOfPrivateKey(id: string): string {
  return `signing_keys/${id}/private_jwk`
}
