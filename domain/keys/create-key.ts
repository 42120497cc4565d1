import { ApiKeyEntity, KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { standingOf } from '../allowances/standing.ts'
import type { ManagementContext } from '../context.ts'
import { findKey, type KeyRecord } from './key-records.ts'
import { checkKeySettings, columnsOf, type KeySettings, tooManyKeys } from './key-settings.ts'
import { associatedDataOfFullKey, hmacOfKey, maskKeyText, mintKeyText } from './key-text.ts'

export interface CreatedKey {
  record: KeyRecord
  /** The full key. */
  text: string
}

/**
 * Creates a key with its budget. `createdBy` is the ID of the user. A provisioning key has the scope `all` unless its
 * settings say otherwise. Throws `validation_failed`, also if the account
 * already has as many keys as its allowance permits.
 */
export async function createKey(
  context: ManagementContext,
  args: {
    accountId: string
    createdBy: string | null
    isProvisioning?: boolean
    settings: KeySettings & { name: string }
  },
): Promise<CreatedKey> {
  const { em, clock, config, ids, vault, allowances } = context
  const { accountId, createdBy, isProvisioning = false, settings } = args
  checkKeySettings(settings, { isProvisioning })
  const { text, publicId } = mintKeyText(ids, isProvisioning)
  const id = ids.uuid()
  const now = new Date(clock.now())
  const columns = columnsOf(settings)

  await em.transactional(async transaction => {
    await requireFewerThanMaxKeys({ em: transaction, allowances }, accountId)
    await transaction.insert(ApiKeyEntity, {
      name: settings.name,
      ipWhitelist: [],
      allowedModels: [],
      allowedVendors: [],
      scopes: isProvisioning ? ['all'] : [],
      disabled: false,
      ...columns.key,
      accountId,
      id,
      publicId,
      keyHmac: hmacOfKey(config.keyPepper, text),
      keyPrefix: maskKeyText(text),
      fullKeySealed: vault.seal(text, associatedDataOfFullKey(accountId, id)),
      isProvisioning,
      isPlayground: false,
      createdBy,
      createdAt: now,
      updatedAt: now,
      revision: 1n,
    })
    await transaction.insert(KeyBudgetEntity, {
      resetInterval: 'none',
      ...columns.budget,
      accountId,
      keyId: id,
      totalSpentNanos: 0n,
      heldNanos: 0n,
    })
  })
  return { record: await findKey(context, { accountId, keyId: id }), text }
}

/**
 * Throws `validation_failed` if the account has its maximum of keys. Locks the account, so that two concurrent calls
 * cannot both create the last key.
 */
async function requireFewerThanMaxKeys(
  { em, allowances }: Pick<ManagementContext, 'em' | 'allowances'>,
  accountId: string,
): Promise<void> {
  const maxKeys = allowanceOf(allowances, await standingOf(allowances, accountId), 'keys')
  await em.execute('select 1 from accounts where id = ? for no key update', [accountId])
  if ((await em.count(ApiKeyEntity, { accountId, revokedAt: null })) < maxKeys) return
  throw tooManyKeys(maxKeys)
}
