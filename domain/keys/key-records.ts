import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { KeyScope, ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { associatedDataOfFullKey } from './key-text.ts'

/** A key for lists. */
export interface KeyRecord {
  accountId: string
  id: string
  name: string
  keyPrefix: string
  /** The encrypted full key; null for keys that are older than this column. `openFullKey` decrypts it. */
  fullKeySealed: Uint8Array | null
  /** When the secret before the last roll ends; null if no previous secret is valid. */
  previousEndsAt: Date | null
  ipWhitelist: string[]
  allowedModels: string[]
  allowedVendors: string[]
  rateLimitRpm: number | null
  rateLimitTph: number | null
  rateLimitTpd: number | null
  isProvisioning: boolean
  /** The scopes of a provisioning key; empty for ordinary keys. */
  scopes: KeyScope[]
  /** Whether it is the key of the playground (`playground-key.ts`). */
  isPlayground: boolean
  disabled: boolean
  createdBy: string | null
  createdAt: Date
  creditLimitNanos: bigint | null
  creditResetInterval: ResetInterval
  /** The amount spent in the current period. */
  creditUsedNanos: bigint
  /** The start of the current period; null if the key has no cap. */
  creditPeriodStart: Date | null
  expiresAt: Date | null
}

/** Finds keys of an account by their IDs, in any order. Unknown and revoked keys are left out. */
export async function findKeys(
  { sql }: Pick<Context, 'sql'>,
  { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
): Promise<KeyRecord[]> {
  const ids = keyIds.filter(isUuid)
  if (ids.length === 0) return []
  return sql<KeyRecord[]>`${keysOf(sql, accountId)} and k.id = any(${ids}::uuid[])`
}

/** Finds one key of an account. Throws `key_not_found`. */
export async function findKey(
  context: Pick<Context, 'sql'>,
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

/** Returns the position of a key in that order. Creation times of keys are whole milliseconds. */
export function positionOfKey({ createdAt, id }: Pick<KeyRecord, 'createdAt' | 'id'>): Position {
  return [String(createdAt.getTime() * 1000), id]
}

/** Lists the keys of an account that are not revoked, newest first: all of them, or a slice. */
export async function listKeys(
  { sql }: Pick<Context, 'sql'>,
  { accountId, slice }: { accountId: string; slice?: Slice },
): Promise<KeyRecord[]> {
  const all = { where: sql``, end: sql`order by created_at desc, id desc` }
  const { where, end } = slice ? keyset(sql, keyOrder, slice) : all
  return sql<KeyRecord[]>`${keysOf(sql, accountId)} ${where} ${end}`
}

/** Counts the keys of an account that are not revoked. */
export async function countKeys(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from api_keys where account_id = ${accountId} and revoked_at is null`
  return row?.total ?? 0
}

/** Decrypts the full key; null for keys that are older than its column. */
export function openFullKey(
  { vault }: Pick<Context, 'vault'>,
  { accountId, id, fullKeySealed }: Pick<KeyRecord, 'accountId' | 'id' | 'fullKeySealed'>,
): string | null {
  return fullKeySealed ? vault.open(fullKeySealed, associatedDataOfFullKey(accountId, id)) : null
}

/** Selects the keys of an account with their budgets. No period begins before the key was created. */
function keysOf(sql: Sql, accountId: string) {
  return sql`
    select k.account_id as "accountId", k.id, k.name, k.key_prefix as "keyPrefix",
      case when k.previous_ends_at > clock_timestamp() then k.previous_ends_at end as "previousEndsAt",
      k.full_key_sealed as "fullKeySealed", k.ip_whitelist as "ipWhitelist",
      k.allowed_models as "allowedModels", k.allowed_vendors as "allowedVendors",
      k.rate_limit_rpm::float8 as "rateLimitRpm", k.rate_limit_tph::float8 as "rateLimitTph",
      k.rate_limit_tpd::float8 as "rateLimitTpd", k.is_provisioning as "isProvisioning", k.scopes,
      k.is_playground as "isPlayground", k.disabled,
      k.created_by as "createdBy", k.created_at as "createdAt", k.expires_at as "expiresAt",
      b.limit_nanos as "creditLimitNanos", coalesce(b.reset_interval, 'none') as "creditResetInterval",
      coalesce(spent_in_window(b.reset_interval, b.counted_at, b.day_spent_nanos, b.week_spent_nanos,
        b.month_spent_nanos, b.total_spent_nanos, now()), 0) as "creditUsedNanos",
      case when b.limit_nanos is not null then window_start(b.reset_interval, k.created_at, now()) end
        as "creditPeriodStart"
    from api_keys k
    left join current_key_budgets b on b.account_id = k.account_id and b.key_id = k.id
    where k.account_id = ${accountId} and k.revoked_at is null`
}
