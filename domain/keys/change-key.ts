import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/is-uuid.ts'
import { ApiKeyEntity, type ApiKeyRow } from '../../schema/entities/api-keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../management-context.ts'
import { announceKeyChange } from './key-revision.ts'

/**
 * Changes a key under its row's lock, raises its revision, and announces the change before it returns. `changeLast` is
 * for rows that payments wait for: it comes last in the transaction.
 * Throws `key_not_found` for an unknown or revoked key, and one of another account.
 */
export async function changeKey(
  context: ManagementContext,
  { accountId, keyId }: { accountId: string; keyId: string },
  change: (key: ApiKeyRow) => void,
  changeLast?: (em: ManagementContext['em']) => Promise<void>,
): Promise<void> {
  if (!isUuid(keyId)) throw new Problem('key_not_found')
  const revision = await context.em.transactional(async em => {
    const standing = { accountId, id: keyId, revokedAt: null }
    const key = await em.findOne(ApiKeyEntity, standing, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!key) throw new Problem('key_not_found')
    change(key)
    key.updatedAt = new Date(context.clock.now())
    key.revision += 1n
    await em.flush()
    await changeLast?.(em)
    return key.revision
  })
  await announceKeyChange(context, { accountId, keyId, revision })
}
