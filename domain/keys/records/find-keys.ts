import { isUuid } from '../../../platform/is-uuid.ts'
import { ApiKeyEntity, type ApiKeyRow } from '../../../schema/entities/api-keys.ts'
import { KeyBudgetEntity } from '../../../schema/entities/key-budgets.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ManagementContext } from '../../management-context.ts'
import { type KeyRecord, keyRecordOf } from './key-record.ts'

type Records = Pick<ManagementContext, 'em'>

/** Finds keys of an account by their ids, in any order. Unknown and revoked ones are left out. */
export async function findKeys(
  context: Records,
  { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
): Promise<KeyRecord[]> {
  const ids = keyIds.filter(isUuid)
  if (ids.length === 0) return []
  const keys = await context.em.find(ApiKeyEntity, { accountId, id: { $in: ids }, revokedAt: null })
  return withBudgets(context, { accountId, keys })
}

/** Finds one key of an account. Throws `key_not_found`. */
export async function findKey(
  context: Records,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyRecord> {
  const [key] = await findKeys(context, { accountId, keyIds: [keyId] })
  if (key) return key
  throw new Problem('key_not_found')
}

/** The records of keys, with all their budgets read by one statement. */
export async function withBudgets(
  { em }: Records,
  { accountId, keys }: { accountId: string; keys: ApiKeyRow[] },
): Promise<KeyRecord[]> {
  if (keys.length === 0) return []
  const budgets = await em.find(KeyBudgetEntity, { accountId, keyId: { $in: keys.map(key => key.id) } })
  const byKey = new Map(budgets.map(budget => [budget.keyId, budget]))
  return keys.map(key => keyRecordOf(key, byKey.get(key.id)))
}
