import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** An API key (contract: API key). A revoked one stays, for the history that names it. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    publicId: p.text(),
    name: p.text(),
    keyHmac: p.blob(),
    keyPrefix: p.text(),
    fullKeySealed: p.blob().nullable(),
    ipWhitelist: p.array(),
    rateLimitRpm: p.bigint('number').nullable(),
    rateLimitTph: p.bigint('number').nullable(),
    rateLimitTpd: p.bigint('number').nullable(),
    isProvisioning: p.boolean(),
    disabled: p.boolean(),
    createdBy: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    /** Grows with every change: whoever holds a copy compares it. */
    revision: p.bigint(),
  },
})

export type ApiKeyRow = InferEntity<typeof ApiKeyEntity>
