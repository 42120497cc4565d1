import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** An account: a paying customer. It owns keys, credentials, a balance, tasks and logs. */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** The account's own limit of new requests per key and burst window. Null means the configured limit. */
    allowances: p.json<Record<string, number>>(),
    /** A number that grows with every change of the account's own credentials. 0 if it never had one. */
    byokRevision: p.bigint().default(0),
    /** A number that grows when a budget is created or deleted. 0 if the account never had one. */
    budgetRevision: p.bigint().default(0),
    /** Whether members without a second factor can only add one. */
    requiresSecondFactor: p.boolean().default(false),
    /** When and why an operator suspended the account. Null unless it is suspended. */
    suspendedAt: p.datetime().nullable(),
    suspensionReason: p.text().nullable(),
    /** When and why an operator closed the account. Null unless it is closed. */
    closedAt: p.datetime().nullable(),
    closingReason: p.text().nullable(),
    /** When the data of a closed account are to be deleted. Null unless it is closed and has data. */
    eraseAt: p.datetime().nullable(),
    /** When the deletion of the data began. */
    erasedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type AccountRow = InferEntity<typeof AccountEntity>

/** The error with which the keys and sessions of a suspended or closed account are refused. */
export type AccountRefusal = 'account_suspended' | 'account_closed'

export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const

/** The role of a member in an account. `domain/callers/permissions.ts` lists the rights of each role. */
export type Role = (typeof roles)[number]

/** The membership of a user in an account. */
export const MembershipEntity = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    accountId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.text().$type<Role>(),
    createdAt: p.datetime(),
    /** When tokens of a session of the user in the account were last issued. Null if there was no session. */
    lastUsedAt: p.datetime().nullable(),
  },
})

/** A person who logs in. Confirmed e-mails are unique whatever their case; others can repeat. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    email: p.text(),
    name: p.text(),
    /** Null for a user who signs in through an issuer only. */
    passwordHash: p.text().nullable(),
    /** When the owner confirmed the address. Null if it is not confirmed. */
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
    /** The log-in from which the user switched to this account. Null for a log-in. */
    originFamilyId: p.uuid().nullable(),
    accountId: p.uuid(),
    userId: p.uuid(),
    tokenHash: p.blob(),
    /** The IP address of the client to which it was issued. */
    address: p.text().nullable(),
    /** When the user logged in. */
    beganAt: p.datetime(),
    /** When the user last proved their identity: at log-in, or by a confirmation since. */
    confirmedAt: p.datetime(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** When the session ends even if it is refreshed. Null if it has no such limit. */
    endsAt: p.datetime().nullable(),
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
