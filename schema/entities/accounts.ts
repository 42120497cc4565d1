import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** The error with which the keys and sessions of a suspended or closed account are refused. */
export type AccountRefusal = 'account_suspended' | 'account_closed'

export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const

/** The role of a member in an account. `domain/callers/permissions.ts` lists the rights of each role. */
export type Role = (typeof roles)[number]

/** A person who logs in. Confirmed e-mails are unique whatever their case; others can repeat. */
export interface UserRow {
  id: string
  email: string
  name: string
  /** Null for a user who signs in through an issuer only. */
  passwordHash: string | null
  /** When the owner confirmed the address. Null if it is not confirmed. */
  emailConfirmedAt: Date | null
}

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
