import type { ByokProvider, ProviderCredentialRow } from '../../../schema/entities/provider-credentials.ts'
import type { JsonObject } from '../../../schema/json.ts'
import { splitConfig } from '../config/split-config.ts'

/** A credential as it is listed (contract: Provider credential). It carries no secret, sealed or not. */
export interface CredentialRecord {
  id: string
  provider: ByokProvider
  label: string
  /** Empty where the configuration carries the credential. */
  apiKeyPrefix: string
  baseUrl: string | null
  /** What is not known to be harmless reads `***`, also in rows that were written when more was shown. */
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
    config: row.config ? splitConfig(row.config).masked : null,
    alwaysUse,
    disabled,
    priority,
    lastUsedAt: row.lastUsedAt ?? null,
    lastError: row.lastError ?? null,
    createdAt,
    updatedAt,
  }
}
