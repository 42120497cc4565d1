import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type { CredentialRecord } from '../../domain/byok/credential-records.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime, Json } from '../runtime/scalars.ts'

export const ByokProvider = graphEnum<AnyProvider>('ByokProvider', {
  description: "A vendor that supports an account's own credentials.",
  values: {
    vendor_a: 'The vendor with the label `vendor_a`.',
    vendor_b: 'The vendor with the label `vendor_b`.',
    vendor_c: 'The vendor with the label `vendor_c`.',
  },
})

@ObjectType({
  description:
    "An account's own credential for a vendor. Requests use it instead of the platform's credential.",
})
@Directive('@key(fields: "id")')
export class ByokCredential {
  @Field(() => ID, { description: "The credential's ID." })
  id!: string

  @Field(() => ByokProvider, { description: "The credential's vendor." })
  provider!: AnyProvider

  @Field(() => String, { description: "The credential's label, 1 to 100 characters." })
  label!: string

  @Field(() => String, {
    description: 'The masked vendor API key. Empty if the secrets are in the configuration instead.',
  })
  apiKeyPrefix!: string

  @Field(() => String, {
    nullable: true,
    description: "The base URL of the vendor's API. `null` means the vendor's default URL.",
  })
  baseUrl!: string | null

  @Field(() => Json, {
    nullable: true,
    description:
      'Other settings that the vendor needs, for example a region. `null` if it needs none. Values that may be secret are shown as `***`.',
  })
  configJson!: JsonObject | null

  @Field(() => Boolean, {
    description:
      "Whether to use only the account's own credentials for this vendor. If false, requests fall back to the platform's credential.",
  })
  alwaysUse!: boolean

  @Field(() => Boolean, {
    description: 'Whether the credential is disabled. Requests do not use a disabled credential.',
  })
  disabled!: boolean

  @Field(() => Int, {
    description:
      "The credential's priority, -1000 to 1000. Requests use the credential with the highest priority first; if priorities are equal, the newest.",
  })
  priority!: number

  @Field(() => DateTime, {
    nullable: true,
    description: 'When a call with the credential last succeeded. `null` if none has.',
  })
  lastUsedAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description:
      'The error of the last call with the credential. `null` if the call succeeded, or if there was none.',
  })
  lastError!: string | null

  @Field(() => DateTime, { description: 'When the credential was created.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When the credential was last updated.' })
  updatedAt!: Date
}

export function presentByokCredential({ config, ...shown }: CredentialRecord): ByokCredential {
  return { ...shown, configJson: config }
}

@ObjectType({ description: 'The result of testing a credential.' })
export class ByokTest {
  @Field(() => Boolean, { description: 'Whether the vendor accepted the credential.' })
  ok!: boolean

  @Field(() => Int, {
    nullable: true,
    description: "The HTTP status of the vendor's response. `null` if the vendor did not respond.",
  })
  status!: number | null

  @Field(() => String, { description: "The model that answered, or the vendor's error message." })
  message!: string

  @Field(() => Int, { description: 'The time until the vendor responded, in milliseconds.' })
  latencyMs!: number
}
