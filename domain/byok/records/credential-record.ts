import type { ByokProvider, ProviderCredentialRow } from '../../../schema/entities/provider-credentials.ts'
import type { JsonObject } from '../../../schema/json.ts'

/** A credential as it is listed (contract: Provider credential). It carries no secret, sealed or not. */
export interface CredentialRecord {
  id: string
  provider: ByokProvider
  label: string
  /** Empty where the configuration carries the credential. */
  apiKeyPrefix: string
  baseUrl: string | null
  /** Its secrets read `***`. */
  config: JsonObject | null
  alwaysUse: boolean
  disabled: boolean
  priority: number
  lastUsedAt: Date | null
  lastError: string | null
  createdAt: Date
  updatedAt: Date
}

export function credentialRecordOf(row: ProviderCredentialRow): CredentialRecord {
  const { id, provider, label, apiKeyPrefix, alwaysUse, disabled, priority, createdAt, updatedAt } = row
  return {
    id,
    provider,
    label,
    apiKeyPrefix,
    baseUrl: row.baseUrl ?? null,
    config: row.config ?? null,
    alwaysUse,
    disabled,
    priority,
    lastUsedAt: row.lastUsedAt ?? null,
    lastError: row.lastError ?? null,
    createdAt,
    updatedAt,
  }
}
