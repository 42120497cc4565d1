import { Directive, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import type { CredentialRecord } from '../../domain/byok/credential-records.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import { DateTime, Json } from '../runtime/scalars.ts'

export const ByokProvider = {
  vendor_a: 'vendor_a',
  vendor_b: 'vendor_b',
  vendor_c: 'vendor_c',
} as const satisfies { [Name in AnyProvider]: Name }

registerEnumType(ByokProvider, {
  name: 'ByokProvider',
  description: "The vendors that take credentials of an account's own.",
})

@ObjectType({
  description: "A credential for a vendor of the account's own, used instead of the platform's.",
})
@Directive('@key(fields: "id")')
export class ByokCredential {
  @Field(() => ID)
  id!: string

  @Field(() => ByokProvider)
  provider!: AnyProvider

  @Field(() => String)
  label!: string

  @Field(() => String, {
    description: 'The key, masked; empty where the configuration carries the credential.',
  })
  apiKeyPrefix!: string

  @Field(() => String, { nullable: true, description: "Null is the vendor's own address." })
  baseUrl!: string | null

  @Field(() => Json, {
    nullable: true,
    description: 'What else the vendor needs; whatever is not known to be harmless reads ***.',
  })
  configJson!: JsonObject | null

  @Field(() => Boolean, { description: "Where it fails, the platform's credential is not fallen back to." })
  alwaysUse!: boolean

  @Field(() => Boolean)
  disabled!: boolean

  @Field(() => Int, { description: 'The highest is tried first; of equal ones the newest.' })
  priority!: number

  @Field(() => DateTime, { nullable: true, description: 'The last success.' })
  lastUsedAt!: Date | null

  @Field(() => String, { nullable: true, description: 'The last failure; null once it succeeds.' })
  lastError!: string | null

  @Field(() => DateTime)
  createdAt!: Date

  @Field(() => DateTime)
  updatedAt!: Date
}

export function presentByokCredential({ config, ...shown }: CredentialRecord): ByokCredential {
  return { ...shown, configJson: config }
}

@ObjectType({ description: 'How a credential did when it was tried.' })
export class ByokTest {
  @Field(() => Boolean)
  ok!: boolean

  @Field(() => Int, {
    nullable: true,
    description: "The vendor's HTTP status; null where it did not answer.",
  })
  status!: number | null

  @Field(() => String, { description: "Who answered, or the vendor's words." })
  message!: string

  @Field(() => Int)
  latencyMs!: number
}
