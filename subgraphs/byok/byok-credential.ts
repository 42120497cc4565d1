import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type { CredentialRecord } from '../../domain/byok/credential-records.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime, Json } from '../runtime/scalars.ts'

export const ByokProvider = graphEnum<AnyProvider>('ByokProvider', {
  description: "The vendors that take credentials of an account's own.",
  values: {
    vendor_a: 'The vendor labelled vendor_a.',
    vendor_b: 'The vendor labelled vendor_b.',
    vendor_c: 'The vendor labelled vendor_c.',
  },
})

@ObjectType({
  description: "A credential for a vendor of the account's own, used instead of the platform's.",
})
@Directive('@key(fields: "id")')
export class ByokCredential {
  @Field(() => ID, { description: 'What names it everywhere.' })
  id!: string

  @Field(() => ByokProvider, { description: 'The vendor that it is for.' })
  provider!: AnyProvider

  @Field(() => String, { description: 'What it is called.' })
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

  @Field(() => Boolean, { description: 'Not tried while this is true.' })
  disabled!: boolean

  @Field(() => Int, { description: 'The highest is tried first; of equal ones the newest.' })
  priority!: number

  @Field(() => DateTime, { nullable: true, description: 'The last success.' })
  lastUsedAt!: Date | null

  @Field(() => String, { nullable: true, description: 'The last failure; null once it succeeds.' })
  lastError!: string | null

  @Field(() => DateTime, { description: 'When it was added.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date
}

export function presentByokCredential({ config, ...shown }: CredentialRecord): ByokCredential {
  return { ...shown, configJson: config }
}

@ObjectType({ description: 'How a credential did when it was tried.' })
export class ByokTest {
  @Field(() => Boolean, { description: 'Whether the vendor took it.' })
  ok!: boolean

  @Field(() => Int, {
    nullable: true,
    description: "The vendor's HTTP status; null where it did not answer.",
  })
  status!: number | null

  @Field(() => String, { description: "Who answered, or the vendor's words." })
  message!: string

  @Field(() => Int, { description: 'How long the vendor took, in milliseconds.' })
  latencyMs!: number
}
