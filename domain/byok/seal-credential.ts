import type { ProviderCredentialRow } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import type { Context } from '../context.ts'
import { type ConfigSecret, joinConfig, type SplitConfig, splitConfig } from './split-config.ts'

type Sealer = Pick<Context, 'vault'>

/** The columns with a credential's encrypted secrets, and with their masked forms. */
export type SealedCredential = Pick<
  ProviderCredentialRow,
  'apiKeySealed' | 'apiKeyPrefix' | 'config' | 'configSecretsSealed'
>

/** The row of a credential. Its secrets cannot be decrypted if they are copied into another row. */
export type CredentialRowId = Pick<ProviderCredentialRow, 'accountId' | 'id'>

/** Returns the associated data of a credential's API key (`Vault`). */
export function associatedDataOfApiKey({ accountId, id }: CredentialRowId): string {
  return `provider_credentials/${accountId}/${id}/api_key`
}

/** Returns the associated data of the secrets of a configuration (`Vault`). */
export function associatedDataOfConfigSecrets({ accountId, id }: CredentialRowId): string {
  return `provider_credentials/${accountId}/${id}/config_secrets`
}

/** Encrypts an API key; null stays null. */
export function sealApiKey(
  { vault }: Sealer,
  row: CredentialRowId,
  apiKey: string | null,
): Pick<SealedCredential, 'apiKeySealed' | 'apiKeyPrefix'> {
  if (apiKey === null) return { apiKeySealed: null, apiKeyPrefix: '' }
  return { apiKeySealed: vault.seal(apiKey, associatedDataOfApiKey(row)), apiKeyPrefix: maskKey(apiKey) }
}

/** Encrypts the secrets of a configuration (`splitConfig`), which the row shows as `***`. */
export function sealConfig(
  { vault }: Sealer,
  row: CredentialRowId,
  config: JsonObject | null,
): Pick<SealedCredential, 'config' | 'configSecretsSealed'> {
  if (config === null) return { config: null, configSecretsSealed: null }
  const { masked, secrets } = splitConfig(config)
  const text = secrets.length > 0 ? JSON.stringify(secrets) : undefined
  return {
    config: masked,
    configSecretsSealed: text ? vault.seal(text, associatedDataOfConfigSecrets(row)) : null,
  }
}

/** The decrypted secrets of a row. */
export interface OpenedCredential {
  apiKey: string | null
  config: SplitConfig | undefined
}

/**
 * Decrypts the secrets of a row. Throws if they were altered, copied from another row, or encrypted with an unknown
 * master key.
 */
export function openCredential(
  { vault }: Sealer,
  row: CredentialRowId & Omit<SealedCredential, 'apiKeyPrefix'>,
): OpenedCredential {
  const { apiKeySealed, config, configSecretsSealed } = row
  const secrets: ConfigSecret[] = configSecretsSealed
    ? JSON.parse(vault.open(configSecretsSealed, associatedDataOfConfigSecrets(row)))
    : []
  return {
    apiKey: apiKeySealed ? vault.open(apiKeySealed, associatedDataOfApiKey(row)) : null,
    config: config ? splitConfig(joinConfig({ masked: config, secrets })) : undefined,
  }
}

/** Returns the masked form of a vendor's key: the beginning and end of a long key, never more than a quarter of it. */
function maskKey(apiKey: string): string {
  const shown = Math.floor(apiKey.length / 4)
  const tail = Math.min(4, Math.floor(shown / 2))
  const head = Math.min(7, shown - tail)
  return `${apiKey.slice(0, head)}…${apiKey.slice(apiKey.length - tail)}`
}
