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
 * Changes the given settings of a key and leaves the others. Throws `validation_failed`, and `key_not_found`
 * for a key that is unknown, revoked or another account's.
 */
export async function updateKey(
  context: ManagementContext,
  { accountId, keyId, changes }: { accountId: string; keyId: string; changes: KeySettings },
): Promise<KeyRecord> {
  checkKeySettings(changes)
  const columns = columnsOf(changes)
  await changeKey(
    context,
    { accountId, keyId },
    key => Object.assign(key, columns.key),
    async em => {
      // Spending is counted for every interval at once: another interval only selects another counter.
      if (Object.keys(columns.budget).length > 0)
        await em.nativeUpdate(KeyBudgetEntity, { accountId, keyId }, columns.budget)
    },
  )
  return findKey(context, { accountId, keyId })
}

/**
 * Revokes a key for ever: when this resolves, no process starts an upstream call with it. Clears its rate
 * limits. Throws `key_not_found`.
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
 * Changes a key under its row's lock, raises its revision, and announces the change before it resolves.
 * `changeLast` runs at the end of the transaction: it is for the budget, whose row the settlements of the
 * account wait for.
 */
async function changeKey(
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
