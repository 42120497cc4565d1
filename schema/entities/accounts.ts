import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** The paying customer. Keys, credentials, balance, tasks and logs belong to it. */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** Its own limit of new requests per key and burst window; null is the configured one. */
    allowances: p.json<Record<string, number>>(),
    /** Grows with every change of the account's own credentials; zero where it never had one. */
    byokRevision: p.bigint().default(0),
    /** When an operator suspended it, and why; null unless it is suspended. */
    suspendedAt: p.datetime().nullable(),
    suspensionReason: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type AccountRow = InferEntity<typeof AccountEntity>

/** A person who logs in to an account. Confirmed e-mails are unique whatever their case; others can repeat. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    accountId: p.uuid(),
    email: p.text(),
    name: p.text(),
    passwordHash: p.text(),
    /** When the owner of the address confirmed it; null before. */
    emailConfirmedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type UserRow = InferEntity<typeof UserEntity>

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
    /** The address of the client that it was issued to. */
    address: p.text().nullable(),
    /** When its log-in began. */
    beganAt: p.datetime(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})

export type RefreshTokenRow = InferEntity<typeof RefreshTokenEntity>

/** A key that signs session tokens. The private half is sealed. */
export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    id: p.text().primary(),
    publicJwk: p.json<PublicJwk>(),
    privateJwkSealed: p.blob(),
    createdAt: p.datetime(),
    retiredAt: p.datetime().nullable(),
  },
})

/** The public half as JSON Web Key: Ed25519. */
export interface PublicJwk {
  kty: string
  crv: string
  x: string
}

export type SigningKeyRow = InferEntity<typeof SigningKeyEntity>
