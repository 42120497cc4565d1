import { Field, InputType } from 'type-graphql'
import type { CredentialSettings } from '../../domain/byok/credential-settings.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import { Count, Json } from '../runtime/scalars.ts'
import { ByokProvider } from './byok-credential.ts'

/** What may be set on a credential at any time. */
@InputType()
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

  @Field(() => Boolean, { nullable: true })
  alwaysUse?: boolean | null

  @Field(() => Count, { nullable: true, description: 'Clamped to -1000 to 1000.' })
  priority?: number | null
}

@InputType()
export class CreateByokCredentialInput extends ByokSettingsInput {
  @Field(() => ByokProvider)
  provider!: AnyProvider

  @Field(() => String, { description: '1 to 100 characters.' })
  label!: string
}

@InputType()
export class UpdateByokCredentialInput extends ByokSettingsInput {
  @Field(() => String, { nullable: true })
  label?: string | null

  @Field(() => Boolean, { nullable: true, description: 'True takes it out of what is tried.' })
  disabled?: boolean | null
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
