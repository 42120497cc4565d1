import { Field, ID, InputType } from 'type-graphql'
import { type CredentialSettings, maxLabelLength } from '../../domain/byok/credential-settings.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import { Count, Json } from '../runtime/scalars.ts'
import { ByokProvider } from './byok-credential.ts'

/** What may be set on a credential at any time. */
@InputType({ description: 'The settings of a credential.' })
class ByokSettingsInput {
  @Field(() => String, {
    nullable: true,
    description: 'Required unless the configuration carries the credential.',
  })
  apiKey?: string | null

  @Field(() => String, { nullable: true, description: "HTTPS, public; null is the vendor's own address." })
  baseUrl?: string | null

  @Field(() => Json, {
    nullable: true,
    description: 'Replaces it all; each *** in it keeps the secret there.',
  })
  configJson?: unknown

  @Field(() => Boolean, {
    nullable: true,
    description: "Where it fails, the platform's credential is not fallen back to; false unless told.",
  })
  alwaysUse?: boolean | null

  @Field(() => Count, {
    nullable: true,
    description: 'The highest is tried first. Clamped to -1000 to 1000; 0 unless told.',
  })
  priority?: number | null
}

@InputType({ description: 'The settings of a new credential.' })
export class CreateByokCredentialInput extends ByokSettingsInput {
  @Field(() => ByokProvider, { description: 'The vendor that it is for.' })
  provider!: AnyProvider

  @Field(() => String, { description: `1 to ${maxLabelLength} characters.` })
  label!: string
}

@InputType({ description: 'Which credential is changed, and how. What is left out stays as it is.' })
export class UpdateByokCredentialInput extends ByokSettingsInput {
  @Field(() => ID, { description: 'The credential.' })
  id!: string

  @Field(() => String, { nullable: true, description: `1 to ${maxLabelLength} characters.` })
  label?: string | null

  @Field(() => Boolean, { nullable: true, description: 'True takes it out of what is tried.' })
  disabled?: boolean | null
}

@InputType({ description: 'Which credential is removed.' })
export class DeleteByokCredentialInput {
  @Field(() => ID, { description: 'The credential.' })
  id!: string
}

@InputType({ description: 'Which credential is tried.' })
export class TestByokCredentialInput {
  @Field(() => ID, { description: 'The credential.' })
  id!: string
}

@InputType({ description: 'Which credentials are wanted.' })
export class ByokCredentialFilterInput {
  @Field(() => ByokProvider, {
    nullable: true,
    description: 'The vendor that they are for; any unless given.',
  })
  provider?: AnyProvider | null
}

/** What an input sets. What was left out stays undefined; null means "none" where there is such a thing. */
export function settingsOf(input: ByokSettingsInput): Omit<CredentialSettings, 'label'> {
  return {
    apiKey: input.apiKey,
    baseUrl: input.baseUrl,
    config: input.configJson,
    alwaysUse: input.alwaysUse ?? undefined,
    priority: input.priority ?? undefined,
  }
}

/** The changes that an input makes. A null label is refused like an empty one. */
export function changesOf(input: UpdateByokCredentialInput): CredentialSettings {
  return {
    ...settingsOf(input),
    label: input.label === null ? '' : input.label,
    disabled: input.disabled ?? undefined,
  }
}
