import { ApiKeyEntity, KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { countKeys, findKey, type KeyRecord, placeOfFullKey } from './key-records.ts'
import { checkKeySettings, type KeySettings } from './key-settings.ts'
import { hmacOfKey, maskKeyText, mintKeyText } from './key-text.ts'

export interface CreatedKey {
  record: KeyRecord
  /** The whole key. */
  text: string
}

/** Creates a key with its budget. Throws `validation_failed`, also where the account has `maxKeys` of them. */
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

  await em.transactional(async em => {
    await requireRoom({ em, config }, accountId)
    await em.insert(ApiKeyEntity, {
      accountId,
      id,
      publicId,
      name: settings.name,
      keyHmac: hmacOfKey(config.keyPepper, text),
      keyPrefix: maskKeyText(text),
      fullKeySealed: vault.seal(text, placeOfFullKey(accountId, id)),
      ipWhitelist: [...(settings.ipWhitelist ?? [])],
      rateLimitRpm: settings.rateLimitRpm ?? null,
      rateLimitTph: settings.rateLimitTph ?? null,
      rateLimitTpd: settings.rateLimitTpd ?? null,
      isProvisioning,
      disabled: false,
      createdBy,
      createdAt: now,
      updatedAt: now,
      expiresAt: settings.expiresAt ?? null,
      revision: 1n,
    })
    await em.insert(KeyBudgetEntity, {
      accountId,
      keyId: id,
      limitNanos: settings.creditLimitNanos ?? null,
      resetInterval: settings.creditResetInterval ?? 'none',
      totalSpentNanos: 0n,
      heldNanos: 0n,
    })
  })
  return { record: await findKey(context, { accountId, keyId: id }), text }
}

/** Keys of one account are created one after the other, so that none is counted past. */
async function requireRoom(
  { em, config }: Pick<ManagementContext, 'em' | 'config'>,
  accountId: string,
): Promise<void> {
  await em.execute('select 1 from accounts where id = ? for no key update', [accountId])
  if ((await countKeys({ em }, { accountId })) < config.maxKeys) return
  const message = `An account has at most ${config.maxKeys} API keys: revoke one that is not used any more.`
  throw new Problem('validation_failed', { message })
}
