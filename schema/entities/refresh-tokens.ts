import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** One refresh token, hashed. The tokens of one log-in are a family. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    id: p.uuid().primary(),
    familyId: p.uuid(),
    accountId: p.uuid(),
    userId: p.uuid(),
    tokenHash: p.blob(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})

export type RefreshTokenRow = InferEntity<typeof RefreshTokenEntity>
