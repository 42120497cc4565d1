import { SigningKeyEntity } from '../../../schema/entities/signing-keys.ts'
import type { ManagementContext } from '../../management-context.ts'
import { createSigningKey } from './create-signing-key.ts'

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
