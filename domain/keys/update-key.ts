import type { ApiKeyRow } from '../../schema/entities/api-keys.ts'
import type { ManagementContext } from '../management-context.ts'
import { changeKey } from './change-key.ts'
import { findKey } from './records/find-keys.ts'
import type { KeyRecord } from './records/key-record.ts'
import { changeBudget } from './settings/change-budget.ts'
import { checkKeySettings } from './settings/check-key-settings.ts'
import type { KeySettings } from './settings/key-settings.ts'

/** What may be changed later: every setting, and the switch. */
export type KeyChanges = KeySettings & { disabled?: boolean | undefined }

/** Changes what is given and leaves the rest. Throws `validation_failed`, `key_not_found`. */
export async function updateKey(
  context: ManagementContext,
  { accountId, keyId, changes }: { accountId: string; keyId: string; changes: KeyChanges },
): Promise<KeyRecord> {
  checkKeySettings(changes)
  await changeKey(
    context,
    { accountId, keyId },
    key => apply(key, changes),
    em => changeBudget(em, { accountId, keyId, changes }),
  )
  return findKey({ em: context.em.fork() }, { accountId, keyId })
}

function apply(key: ApiKeyRow, changes: KeyChanges): void {
  if (changes.name !== undefined) key.name = changes.name
  if (changes.ipWhitelist !== undefined) key.ipWhitelist = [...changes.ipWhitelist]
  if (changes.rateLimitRpm !== undefined) key.rateLimitRpm = changes.rateLimitRpm
  if (changes.rateLimitTph !== undefined) key.rateLimitTph = changes.rateLimitTph
  if (changes.rateLimitTpd !== undefined) key.rateLimitTpd = changes.rateLimitTpd
  if (changes.disabled !== undefined) key.disabled = changes.disabled
  if (changes.expiresAt !== undefined) key.expiresAt = changes.expiresAt
}
