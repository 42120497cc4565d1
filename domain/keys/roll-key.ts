import type { ApiKeyRow } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { checkOverlapHours } from '../overlap-hours.ts'
import { changeKey } from './change-key.ts'
import type { CreatedKey } from './create-key.ts'
import { findKey } from './key-records.ts'
import { associatedDataOfFullKey, hmacOfKey, maskKeyText, mintKeyText } from './key-text.ts'
import { openText } from './pepper.ts'

/**
 * Gives a key a new secret. Its ID, public ID, settings, spending and history stay. The previous secret is valid for
 * `overlapHours` more, and replaces an earlier previous secret; with 0 it ends at once: when this resolves, no process
 * starts an upstream call with it. Throws `validation_failed`, `key_not_found`, and `conflict` for the key of the
 * playground, which has no secret.
 */
export async function rollKey(
  context: ManagementContext,
  { accountId, keyId, overlapHours }: { accountId: string; keyId: string; overlapHours: number },
): Promise<CreatedKey> {
  checkOverlapHours(overlapHours)
  const { clock, config, ids, vault } = context
  let rolled = ''
  await changeKey(context, { accountId, keyId }, key => {
    const { publicId, isProvisioning, isPlayground } = key
    if (isPlayground) throw new Problem('conflict', { message: noSecret })
    const { text } = mintKeyText(ids, isProvisioning, publicId)
    const previous = overlapHours === 0 ? noPrevious : previousOf(context, key)
    const previousEndsAt = overlapHours === 0 ? null : new Date(clock.now() + overlapHours * hourMs)
    Object.assign(key, {
      ...previous,
      previousEndsAt,
      keyHmac: hmacOfKey(config.keyPepper, text),
      keyPrefix: maskKeyText(text),
      fullKeySealed: vault.seal(text, associatedDataOfFullKey(accountId, keyId)),
    })
    rolled = text
  })
  return { record: await findKey(context, { accountId, keyId }), text: rolled }
}

const hourMs = 3_600_000
const noSecret = 'The key of the playground has no secret. Disable or revoke it to stop the playground.'

const noPrevious = { previousHmac: null, previousKeySealed: null }

/** Returns the current secret as the previous one, hashed with the pepper of new keys if its text can be decrypted. */
function previousOf(
  { config, vault }: Pick<ManagementContext, 'config' | 'vault'>,
  { accountId, id, keyHmac, fullKeySealed }: ApiKeyRow,
): Pick<ApiKeyRow, 'previousHmac' | 'previousKeySealed'> {
  const text = fullKeySealed ? openText({ vault }, { accountId, id, fullKeySealed }) : undefined
  return {
    previousHmac: text === undefined ? keyHmac : hmacOfKey(config.keyPepper, text),
    previousKeySealed: fullKeySealed ?? null,
  }
}
