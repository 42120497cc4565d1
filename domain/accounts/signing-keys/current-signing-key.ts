import { type CryptoKey, importJWK } from 'jose'
import { SigningKeyEntity, type SigningKeyRow } from '../../../schema/entities/signing-keys.ts'
import type { ManagementContext } from '../../management-context.ts'
import { createSigningKey, placeOfPrivateKey } from './create-signing-key.ts'

/** The key that signs now: the newest that is not retired; the first one is made when it is first needed. */
export async function currentSigningKey(
  context: ManagementContext,
): Promise<{ id: string; privateKey: CryptoKey | Uint8Array }> {
  const { id, privateJwkSealed } = (await newest(context.em)) ?? (await createFirst(context))
  const jwk: unknown = JSON.parse(context.vault.open(privateJwkSealed, placeOfPrivateKey(id)))
  if (typeof jwk !== 'object' || jwk === null) throw new Error(`Signing key ${id} holds no JWK`)
  return { id, privateKey: await importJWK({ ...jwk }, 'EdDSA') }
}

function newest(em: ManagementContext['em']): Promise<SigningKeyRow | null> {
  return em.findOne(SigningKeyEntity, { retiredAt: null }, { orderBy: { createdAt: 'desc', id: 'desc' } })
}

/** Several processes may need the first key at once: one makes it, the others wait and find it. */
function createFirst(context: ManagementContext): Promise<SigningKeyRow> {
  return context.em.transactional(async em => {
    await em.execute("select pg_advisory_xact_lock(hashtext('signing_keys'))")
    return (await newest(em)) ?? (await createSigningKey({ ...context, em }))
  })
}
