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

/** The row to which a secret is sealed. Copied into another row, it cannot be decrypted. */
export type CredentialPlace = Pick<ProviderCredentialRow, 'accountId' | 'id'>

/** Returns the place that the API key of a credential is sealed to. */
export function placeOfApiKey({ accountId, id }: CredentialPlace): string {
  return `provider_credentials/${accountId}/${id}/api_key`
}

/** Returns the place that the secrets of a configuration are sealed to. */
export function placeOfConfigSecrets({ accountId, id }: CredentialPlace): string {
  return `provider_credentials/${accountId}/${id}/config_secrets`
}

/** Encrypts an API key; null stays null. */
export function sealApiKey(
  { vault }: Sealer,
  place: CredentialPlace,
  apiKey: string | null,
): Pick<SealedCredential, 'apiKeySealed' | 'apiKeyPrefix'> {
  if (apiKey === null) return { apiKeySealed: null, apiKeyPrefix: '' }
  return { apiKeySealed: vault.seal(apiKey, placeOfApiKey(place)), apiKeyPrefix: maskKey(apiKey) }
}

/** Encrypts the secrets of a configuration (`splitConfig`), which the row shows as `***`. */
export function sealConfig(
  { vault }: Sealer,
  place: CredentialPlace,
  config: JsonObject | null,
): Pick<SealedCredential, 'config' | 'configSecretsSealed'> {
  if (config === null) return { config: null, configSecretsSealed: null }
  const { masked, secrets } = splitConfig(config)
  const text = secrets.length > 0 ? JSON.stringify(secrets) : undefined
  return { config: masked, configSecretsSealed: text ? vault.seal(text, placeOfConfigSecrets(place)) : null }
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
  row: CredentialPlace & Omit<SealedCredential, 'apiKeyPrefix'>,
): OpenedCredential {
  const { apiKeySealed, config, configSecretsSealed } = row
  const secrets: ConfigSecret[] = configSecretsSealed
    ? JSON.parse(vault.open(configSecretsSealed, placeOfConfigSecrets(row)))
    : []
  return {
    apiKey: apiKeySealed ? vault.open(apiKeySealed, placeOfApiKey(row)) : null,
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
