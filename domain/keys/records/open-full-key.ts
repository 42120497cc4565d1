import type { Context } from '../../context.ts'
import type { KeyRecord } from './key-record.ts'

/** The whole text of a key; null for keys older than its keeping. */
export function openFullKey(
  { vault }: Pick<Context, 'vault'>,
  { accountId, id, fullKeySealed }: Pick<KeyRecord, 'accountId' | 'id' | 'fullKeySealed'>,
): string | null {
  return fullKeySealed ? vault.open(fullKeySealed, placeOfFullKey(accountId, id)) : null
}

/** Where the text of a key is sealed to: it does not open in another row. */
export function placeOfFullKey(accountId: string, keyId: string): string {
  return `api_keys/${accountId}/${keyId}/full_key`
}
