import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/checks.ts'
import { ApiKeyEntity, type ApiKeyRow, KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { windowsName } from '../rates/rate-script.ts'
import { findKey, type KeyRecord } from './key-records.ts'
import { announceKeyChange } from './key-revision.ts'
import { checkKeySettings, columnsOf, type KeySettings } from './key-settings.ts'

/**
 * Changes the given settings of a key and keeps the others. Throws `validation_failed`, and `key_not_found` if the key
 * is unknown, revoked, or belongs to another account.
 */
export async function updateKey(
  context: ManagementContext,
  { accountId, keyId, changes }: { accountId: string; keyId: string; changes: KeySettings },
): Promise<KeyRecord> {
  const { isProvisioning } = await findKey(context, { accountId, keyId })
  checkKeySettings(changes, { isProvisioning })
  const columns = columnsOf(changes)
  await changeKey(
    context,
    { accountId, keyId },
    key => Object.assign(key, columns.key),
    async em => {
      // Spending is counted for every interval. Another interval only selects another counter.
      if (Object.keys(columns.budget).length > 0)
        await em.nativeUpdate(KeyBudgetEntity, { accountId, keyId }, columns.budget)
    },
  )
  return findKey(context, { accountId, keyId })
}

/**
 * Revokes a key permanently. When this resolves, no process starts an upstream call with it. Clears its rate limits.
 * Throws `key_not_found`.
 */
export async function revokeKey(
  context: ManagementContext,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  await changeKey(context, { accountId, keyId }, key => {
    key.revokedAt = new Date(context.clock.now())
  })
  const windows = windowsName(context.config.redisPrefix, accountId, keyId)
  await context.redis.del(windows).catch(() => {}) // without Redis they expire by themselves
}

/**
 * Changes a key while its row is locked, raises its revision, and announces the change before it resolves. `changeLast`
 * changes the budget at the end of the transaction, because settlements of the account wait for that row. Throws
 * `key_not_found`.
 */
export async function changeKey(
  context: ManagementContext,
  { accountId, keyId }: { accountId: string; keyId: string },
  change: (key: ApiKeyRow) => void,
  changeLast?: (em: ManagementContext['em']) => Promise<void>,
): Promise<void> {
  if (!isUuid(keyId)) throw new Problem('key_not_found')
  const revision = await context.em.transactional(async em => {
    const notRevoked = { accountId, id: keyId, revokedAt: null }
    const key = await em.findOne(ApiKeyEntity, notRevoked, { lockMode: LockMode.PESSIMISTIC_WRITE })
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
