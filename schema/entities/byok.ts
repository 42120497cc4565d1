import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'
import type { JsonObject } from '../json.ts'

export const byokProviders = ['vendor_a', 'vendor_b', 'vendor_c'] as const

/** The vendors that take credentials of an account's own. */
export type ByokProvider = (typeof byokProviders)[number]

/** A credential of an account's own for a vendor. */
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
    /** Each secret in it reads `***`. */
    config: p.json<JsonObject>().nullable(),
    /** The secrets of `config`, sealed, with their places in it. */
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
