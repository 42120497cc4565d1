import {
  type CryptoKey,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { type PublicJwk, SigningKeyEntity, type SigningKeyRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context, ManagementContext } from '../context.ts'

/** The algorithm that signs and verifies tokens. No other is accepted. */
const algorithm = 'EdDSA'

/** A kind of token. A token of one kind is refused where another is expected. */
export interface TokenKind {
  /** The header `typ`. */
  type: string
  audience: string
}

/** Signs a token with the current signing key. `claims` include the subject. */
export async function signToken(
  context: ManagementContext,
  args: TokenKind & { claims: JWTPayload; lifetimeSeconds: number },
): Promise<{ token: string; expiresAt: Date }> {
  const { clock, config, ids } = context
  const { id, privateKey } = await currentSigningKey(context)
  const issuedAtSeconds = Math.floor(clock.now() / 1000)
  const expiresAtSeconds = issuedAtSeconds + args.lifetimeSeconds
  const token = await new SignJWT(args.claims)
    .setProtectedHeader({ alg: algorithm, kid: id, typ: args.type })
    .setIssuer(config.baseUrl)
    .setAudience(args.audience)
    .setJti(ids.uuid())
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(expiresAtSeconds)
    .sign(privateKey)
  return { token, expiresAt: new Date(expiresAtSeconds * 1000) }
}

/** The verified content of a token. */
export interface VerifiedPayload {
  payload: JWTPayload
  signingKeyId: string
  /** When the token expires, in milliseconds since 1970. */
  expiresAtMs: number
}

/**
 * Verifies a token of one kind. The algorithm is pinned, and the signing key is looked up by its ID among the keys of this
 * installation. Throws `unauthenticated` for a forged token and one of another kind, and `token_expired`.
 */
export async function verifyToken(
  context: Keys,
  token: string,
  { type: typ, audience }: TokenKind,
): Promise<VerifiedPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => findPublicKey(context, kid), {
      issuer: context.config.baseUrl,
      audience,
      algorithms: [algorithm],
      typ,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(context.clock.now()),
    })
    return { payload, signingKeyId: String(protectedHeader.kid), expiresAtMs: Number(payload.exp) * 1000 }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Problem('token_expired', { cause: error })
    if (error instanceof errors.JOSEError) throw new Problem('unauthenticated', { cause: error })
    throw error
  }
}

/**
 * Returns the key that signs tokens: the newest key that is not retired. The first key is created on demand.
 */
export async function currentSigningKey(
  context: ManagementContext,
): Promise<{ id: string; privateKey: CryptoKey | Uint8Array }> {
  const { id, privateJwkSealed } = (await newest(context.em)) ?? (await createFirst(context))
  const jwk: unknown = JSON.parse(context.vault.open(privateJwkSealed, associatedDataOfPrivateKey(id)))
  if (typeof jwk !== 'object' || jwk === null) throw new Error(`Signing key ${id} holds no JWK`)
  return { id, privateKey: await importJWK({ ...jwk }, algorithm) }
}

function newest(em: ManagementContext['em']): Promise<SigningKeyRow | null> {
  return em.findOne(SigningKeyEntity, { retiredAt: null }, { orderBy: { createdAt: 'desc', id: 'desc' } })
}

/** If several processes need the first key at the same time, one creates it, and the others wait and find it. */
function createFirst(context: ManagementContext): Promise<SigningKeyRow> {
  return context.em.transactional(async em => {
    await em.execute("select pg_advisory_xact_lock(hashtext('signing_keys'))")
    return (await newest(em)) ?? (await createSigningKey({ ...context, em }))
  })
}

/** Creates a new signing key and retires the others. Tokens that retired keys signed stay valid until they expire. */
export async function rotateSigningKey(
  context: Pick<ManagementContext, 'em' | 'vault' | 'clock' | 'ids'>,
): Promise<{ id: string }> {
  const { em, clock } = context
  return em.transactional(async transaction => {
    await transaction.execute("select pg_advisory_xact_lock(hashtext('signing_keys'))")
    await transaction.nativeUpdate(
      SigningKeyEntity,
      { retiredAt: null },
      { retiredAt: new Date(clock.now()) },
    )
    const { id } = await createSigningKey({ ...context, em: transaction })
    return { id }
  })
}

/** Creates an Ed25519 key; its private half is sealed. */
async function createSigningKey({
  em,
  vault,
  clock,
  ids,
}: Pick<ManagementContext, 'em' | 'vault' | 'clock' | 'ids'>): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
  const { kty, crv, x } = await exportJWK(pair.publicKey)
  if (kty === undefined || crv === undefined || x === undefined)
    throw new Error('A key without its public half')
  const id = ids.secret(16)
  const sealed = vault.seal(JSON.stringify(await exportJWK(pair.privateKey)), associatedDataOfPrivateKey(id))
  const row = { id, publicJwk: { kty, crv, x }, privateJwkSealed: sealed, createdAt: new Date(clock.now()) }
  await em.insert(SigningKeyEntity, row)
  return { ...row, retiredAt: null }
}

/** Returns the associated data of a signing key's private half (`Vault`). */
export function associatedDataOfPrivateKey(id: string): string {
  return `signing_keys/${id}/private_jwk`
}

/** The context for looking up signing keys. */
type Keys = Pick<Context, 'sql' | 'clock' | 'config'>

/**
 * Finds the public half of a signing key. Throws a JOSEError if the key is unknown, or if it was retired before the
 * oldest valid token was issued.
 */
async function findPublicKey(context: Keys, id: string | undefined): Promise<CryptoKey | Uint8Array> {
  const isId = id !== undefined && /^[0-9A-Za-z]{16}$/.test(id)
  const [key] = isId ? await findKeys(context, id) : []
  if (!key) throw new errors.JWKSNoMatchingKey()
  return importJWK({ ...key.jwk }, algorithm)
}

function findKeys(context: Keys, id: string) {
  return context.sql<{ jwk: PublicJwk }[]>`
    select public_jwk as jwk from signing_keys where id = ${id} and ${stillVerifies(context)}`
}

/** Returns the JSON Web Key Set that verifies session tokens, as published at `/.well-known/jwks.json`. */
export async function listPublicKeys(context: Keys): Promise<{ keys: object[] }> {
  const rows = await context.sql<{ id: string; jwk: PublicJwk }[]>`
    select id, public_jwk as jwk from signing_keys where ${stillVerifies(context)} order by created_at desc`
  return { keys: rows.map(({ id, jwk }) => ({ ...jwk, kid: id, alg: algorithm, use: 'sig' })) }
}

/**
 * The condition on keys that may have signed a token that is still valid: keys that were not retired before the oldest
 * valid token was issued.
 */
export function stillVerifies({ sql, clock, config }: Keys) {
  const oldest = new Date(clock.now() - config.accessTokenSeconds * 1000)
  return sql`(retired_at is null or retired_at > ${oldest})`
}
