import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'
import type { JsonObject } from '../json.ts'

export const byokProviders = ['vendor_a', 'vendor_b', 'vendor_c'] as const

/** A vendor that supports an account's own credentials. */
export type ByokProvider = (typeof byokProviders)[number]

/** An account's own credential for a vendor. */
export const ProviderCredentialEntity = defineEntity({
  name: 'ProviderCredential',
  tableName: 'provider_credentials',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    provider: p.text().$type<ByokProvider>(),
    label: p.text(),
    apiKeySealed: p.blob().nullable(),
    apiKeyPrefix: p.text(),
    baseUrl: p.text().nullable(),
    /** The configuration, with `***` instead of each secret. */
    config: p.json<JsonObject>().nullable(),
    /** The encrypted secrets of `config`, with their paths. */
    configSecretsSealed: p.blob().nullable(),
    alwaysUse: p.boolean(),
    disabled: p.boolean(),
    priority: p.integer(),
    lastUsedAt: p.datetime().nullable(),
    lastError: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type ProviderCredentialRow = InferEntity<typeof ProviderCredentialEntity>
