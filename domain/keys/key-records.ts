import { isUuid } from '../../platform/checks.ts'
import type { KeysetOrder, Position, Slice } from '../../platform/postgres/keyset.ts'
import {
  ApiKeyEntity,
  type ApiKeyRow,
  KeyBudgetEntity,
  type KeyBudgetRow,
  type ResetInterval,
} from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context, ManagementContext } from '../context.ts'

/** A key as it is listed. */
export interface KeyRecord {
  accountId: string
  id: string
  name: string
  keyPrefix: string
  /** The whole key, sealed; null for keys that are older than this column. `openFullKey` opens it. */
  fullKeySealed: Uint8Array | null
  ipWhitelist: string[]
  rateLimitRpm: number | null
  rateLimitTph: number | null
  rateLimitTpd: number | null
  isProvisioning: boolean
  disabled: boolean
  createdBy: string | null
  createdAt: Date
  creditLimitNanos: bigint | null
  creditResetInterval: ResetInterval
  /** Spent in the current period. */
  creditUsedNanos: bigint
  /** Start of the current period; null without a cap. */
  creditPeriodStart: Date | null
  expiresAt: Date | null
}

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

/** Newest first. */
export const keyOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Where a key stands in that order. Keys are created at whole milliseconds. */
export function positionOfKey({ createdAt, id }: Pick<KeyRecord, 'createdAt' | 'id'>): Position {
  return [String(createdAt.getTime() * 1000), id]
}

/** Lists the keys of an account that are not revoked, newest first: all, or a slice of them. */
export async function listKeys(
  context: Pick<ManagementContext, 'em'>,
  { accountId, slice }: { accountId: string; slice?: Slice },
): Promise<KeyRecord[]> {
  const { after, before, fromEnd = false, limit } = slice ?? {}
  const direction = fromEnd ? 'asc' : 'desc'
  const keys = await context.em.find(
    ApiKeyEntity,
    {
      accountId,
      revokedAt: null,
      $and: [...(after ? [beyond(after, '$lt')] : []), ...(before ? [beyond(before, '$gt')] : [])],
    },
    {
      orderBy: { createdAt: direction, id: direction },
      ...(limit !== undefined && { limit, offset: slice?.offset ?? 0 }),
    },
  )
  return withBudgets(context, { accountId, keys })
}

/** Counts the keys of an account that are not revoked. */
export async function countKeys(
  { em }: Pick<ManagementContext, 'em'>,
  { accountId }: { accountId: string },
): Promise<number> {
  return em.count(ApiKeyEntity, { accountId, revokedAt: null })
}

/** Opens the whole text of a key; null for keys that are older than its column. */
export function openFullKey(
  { vault }: Pick<Context, 'vault'>,
  { accountId, id, fullKeySealed }: Pick<KeyRecord, 'accountId' | 'id' | 'fullKeySealed'>,
): string | null {
  return fullKeySealed ? vault.open(fullKeySealed, placeOfFullKey(accountId, id)) : null
}

/** What the text of a key is sealed to: copied into another row it does not open. */
export function placeOfFullKey(accountId: string, keyId: string): string {
  return `api_keys/${accountId}/${keyId}/full_key`
}

/** Makes the records of keys; one statement reads all their budgets. */
async function withBudgets(
  { em }: Records,
  { accountId, keys }: { accountId: string; keys: ApiKeyRow[] },
): Promise<KeyRecord[]> {
  if (keys.length === 0) return []
  const budgets = await em.find(KeyBudgetEntity, { accountId, keyId: { $in: keys.map(key => key.id) } })
  const byKey = new Map(budgets.map(budget => [budget.keyId, budget]))
  return keys.map(key => keyRecordOf(key, byKey.get(key.id)))
}

/** Makes the record of a key and its budget. No period begins before the key was created. */
function keyRecordOf(key: ApiKeyRow, budget: KeyBudgetRow | undefined): KeyRecord {
  const { accountId, id, name, keyPrefix, ipWhitelist, isProvisioning, disabled, createdAt } = key
  const creditLimitNanos = budget?.limitNanos ?? null
  const { currentStart } = budget ?? {}
  const periodStart = currentStart && currentStart > createdAt ? currentStart : createdAt
  return {
    accountId,
    id,
    name,
    keyPrefix,
    fullKeySealed: key.fullKeySealed ?? null,
    ipWhitelist,
    rateLimitRpm: key.rateLimitRpm ?? null,
    rateLimitTph: key.rateLimitTph ?? null,
    rateLimitTpd: key.rateLimitTpd ?? null,
    isProvisioning,
    disabled,
    createdBy: key.createdBy ?? null,
    createdAt,
    creditLimitNanos,
    creditResetInterval: budget?.resetInterval ?? 'none',
    creditUsedNanos: budget?.spentNanos ?? 0n,
    creditPeriodStart: creditLimitNanos === null ? null : periodStart,
    expiresAt: key.expiresAt ?? null,
  }
}

/** The keys that are older (`$lt`) or newer (`$gt`) than the one at a position. */
function beyond([micros = '0', id = '']: Position, comparison: '$lt' | '$gt') {
  const createdAt = new Date(Number(BigInt(micros) / 1000n))
  return { $or: [{ createdAt: { [comparison]: createdAt } }, { createdAt, id: { [comparison]: id } }] }
}
