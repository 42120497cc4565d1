import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

export const keyScopes = ['all', 'read', 'keys', 'byok', 'billing', 'tasks', 'members'] as const

/** A right of a provisioning key (`domain/callers/permissions.ts`). */
export type KeyScope = (typeof keyScopes)[number]

/** An API key. Revoked keys are kept, because the history refers to them. */
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
    /** The secret before the last roll, which is valid until `previousEndsAt`. */
    previousHmac: p.blob().nullable(),
    previousKeySealed: p.blob().nullable(),
    previousEndsAt: p.datetime().nullable(),
    ipWhitelist: p.array(),
    allowedModels: p.array(),
    allowedVendors: p.array(),
    rateLimitRpm: p.bigint('number').nullable(),
    rateLimitTph: p.bigint('number').nullable(),
    rateLimitTpd: p.bigint('number').nullable(),
    isProvisioning: p.boolean(),
    /** The rights of a provisioning key. Empty for ordinary keys. */
    scopes: p.array().$type<KeyScope[]>(),
    /** Whether the console's playground calls models with it. It has no text. */
    isPlayground: p.boolean(),
    disabled: p.boolean(),
    createdBy: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    /** A number that grows with every change. Processes compare it with their cached copy. */
    revision: p.bigint(),
  },
})

export type ApiKeyRow = InferEntity<typeof ApiKeyEntity>

export const resetIntervals = ['none', 'daily', 'weekly', 'monthly'] as const

/** How often the spent amount is reset to zero (UTC; weeks start on Monday). */
export type ResetInterval = (typeof resetIntervals)[number]

/** The spend cap of a key, and its spent amount, which the ledger writes. */
export const KeyBudgetEntity = defineEntity({
  name: 'KeyBudget',
  tableName: 'key_budgets',
  properties: {
    accountId: p.uuid().primary(),
    keyId: p.uuid().primary(),
    limitNanos: p.bigint().nullable(),
    resetInterval: p.text().$type<ResetInterval>(),
    totalSpentNanos: p.bigint(),
    heldNanos: p.bigint(),
    /** When the three columns below were last written. An amount of a period that has since ended is ignored. */
    countedAt: p.datetime(6).defaultRaw('now()'),
    daySpentNanos: p.bigint().defaultRaw('0'),
    weekSpentNanos: p.bigint().defaultRaw('0'),
    monthSpentNanos: p.bigint().defaultRaw('0'),
    /** The state of the budget alert (schema/migrations/0005-ledger.sql). */
    checkFromNanos: p.bigint().nullable(),
    notifiedPercent: p.smallint().nullable(),
    notifiedPeriod: p.datetime().nullable(),
  },
})

export type KeyBudgetRow = InferEntity<typeof KeyBudgetEntity>
