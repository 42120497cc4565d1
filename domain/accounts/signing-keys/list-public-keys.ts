import { SigningKeyEntity } from '../../../schema/entities/signing-keys.ts'
import type { ManagementContext } from '../../management-context.ts'

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
