import type { ApiKeyRow } from '../../../schema/entities/api-keys.ts'
import type { KeyBudgetRow, ResetInterval } from '../../../schema/entities/key-budgets.ts'

/** A key as it is listed (contract: API key, listed record fields). */
export interface KeyRecord {
  accountId: string
  id: string
  name: string
  keyPrefix: string
  /** The whole key, sealed; null for keys older than its keeping. `openFullKey` opens it. */
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

/** Makes the record of a key and its budget. No period begins before its key. */
export function keyRecordOf(key: ApiKeyRow, budget: KeyBudgetRow | undefined): KeyRecord {
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
