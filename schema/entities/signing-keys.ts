import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

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
