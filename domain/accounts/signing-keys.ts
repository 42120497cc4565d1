import { type CryptoKey, errors, exportJWK, generateKeyPair, importJWK } from 'jose'
import { SigningKeyEntity, type SigningKeyRow } from '../../schema/entities/accounts.ts'
import type { ManagementContext } from '../context.ts'

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

/** Signs with a new key from now on. Tokens that the old keys signed stay good until they expire. */
export async function rotateSigningKey(
  context: Pick<ManagementContext, 'em' | 'vault' | 'clock' | 'ids'>,
): Promise<{ id: string }> {
  const { em, clock } = context
  return em.transactional(async em => {
    await em.execute("select pg_advisory_xact_lock(hashtext('signing_keys'))")
    await em.nativeUpdate(SigningKeyEntity, { retiredAt: null }, { retiredAt: new Date(clock.now()) })
    const { id } = await createSigningKey({ ...context, em })
    return { id }
  })
}

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

/** The JSON Web Key Set that session tokens are verified with, as `/.well-known/jwks.json` publishes it. */
export async function listPublicKeys(context: ManagementContext): Promise<{ keys: object[] }> {
  const rows = await context.em.find(SigningKeyEntity, stillVerifies(context), {
    orderBy: { createdAt: 'desc' },
  })
  return { keys: rows.map(({ id, publicJwk }) => ({ ...publicJwk, kid: id, alg: 'EdDSA', use: 'sig' })) }
}

/** Keys that a token which has not expired may still name: those in use, and those retired within a token's life. */
export function stillVerifies({ clock, config }: Pick<ManagementContext, 'clock' | 'config'>) {
  const oldest = new Date(clock.now() - config.accessTokenSeconds * 1000)
  return { $or: [{ retiredAt: null }, { retiredAt: { $gt: oldest } }] }
}
