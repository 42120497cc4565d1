import { ApiKeyEntity, KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { countKeys, findKey, type KeyRecord, placeOfFullKey } from './key-records.ts'
import { checkKeySettings, columnsOf, type KeySettings } from './key-settings.ts'
import { hmacOfKey, maskKeyText, mintKeyText } from './key-text.ts'

export interface CreatedKey {
  record: KeyRecord
  /** The whole key. */
  text: string
}

/**
 * Creates a key with its budget. `createdBy` is the id of the user. Throws `validation_failed`, also where
 * the account has `maxKeys` keys already.
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
  checkKeySettings(args.settings)
  const { em, clock, config, ids, vault } = context
  const { accountId, createdBy, isProvisioning = false, settings } = args
  const { text, publicId } = mintKeyText(ids, isProvisioning)
  const id = ids.uuid()
  const now = new Date(clock.now())
  const columns = columnsOf(settings)

  await em.transactional(async em => {
    await requireFewerThanMaxKeys({ em, config }, accountId)
    await em.insert(ApiKeyEntity, {
      name: settings.name,
      ipWhitelist: [],
      disabled: false,
      ...columns.key,
      accountId,
      id,
      publicId,
      keyHmac: hmacOfKey(config.keyPepper, text),
      keyPrefix: maskKeyText(text),
      fullKeySealed: vault.seal(text, placeOfFullKey(accountId, id)),
      isProvisioning,
      createdBy,
      createdAt: now,
      updatedAt: now,
      revision: 1n,
    })
    await em.insert(KeyBudgetEntity, {
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

/** Locks the account, so that two keys created at once cannot both be the last one allowed. */
async function requireFewerThanMaxKeys(
  { em, config }: Pick<ManagementContext, 'em' | 'config'>,
  accountId: string,
): Promise<void> {
  await em.execute('select 1 from accounts where id = ? for no key update', [accountId])
  if ((await countKeys({ em }, { accountId })) < config.maxKeys) return
  const message = `An account has at most ${config.maxKeys} API keys: revoke one that is not used any more.`
  throw new Problem('validation_failed', { message })
}
