import { Field, ID, InputType } from 'type-graphql'
import { type CredentialSettings, maxLabelLength } from '../../domain/byok/credential-settings.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import { Count, Json } from '../runtime/scalars.ts'
import { ByokProvider } from './byok-credential.ts'

/** Settings that can be changed at any time. */
@InputType({ description: 'The settings of a credential.' })
class ByokSettingsInput {
  @Field(() => String, {
    nullable: true,
    description:
      'The vendor API key. Required unless the configuration contains the secrets. `***` keeps the stored key; `null` removes it.',
  })
  apiKey?: string | null

  @Field(() => String, {
    nullable: true,
    description: "The base URL of the vendor's API: HTTPS and public. `null` means the vendor's default URL.",
  })
  baseUrl?: string | null

  @Field(() => Json, {
    nullable: true,
    description:
      'Other settings that the vendor needs. They replace the stored settings as a whole. `null` removes them. A value of `***` keeps the secret that is stored under the same names.',
  })
  configJson?: unknown

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether to use only the account's own credentials for this vendor. If false, requests fall back to the platform's credential. False for a new credential, unless set.",
  })
  alwaysUse?: boolean | null

  @Field(() => Count, {
    nullable: true,
    description:
      "The credential's priority. Requests use the credential with the highest priority first. Values are clamped to -1000 to 1000. 0 for a new credential, unless set.",
  })
  priority?: number | null
}

@InputType({ description: 'The settings of a new credential.' })
export class CreateByokCredentialInput extends ByokSettingsInput {
  @Field(() => ByokProvider, { description: "The credential's vendor." })
  provider!: AnyProvider

  @Field(() => String, { description: `The credential's label, 1 to ${maxLabelLength} characters.` })
  label!: string
}

@InputType({
  description: 'The credential to update and its new settings. Settings that are left out keep their value.',
})
export class UpdateByokCredentialInput extends ByokSettingsInput {
  @Field(() => ID, { description: "The credential's ID." })
  id!: string

  @Field(() => String, {
    nullable: true,
    description: `The credential's label, 1 to ${maxLabelLength} characters.`,
  })
  label?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the credential is disabled. Requests do not use a disabled credential.',
  })
  disabled?: boolean | null
}

@InputType({ description: 'The credential to delete.' })
export class DeleteByokCredentialInput {
  @Field(() => ID, { description: "The credential's ID." })
  id!: string
}

@InputType({ description: 'The credential to test.' })
export class TestByokCredentialInput {
  @Field(() => ID, { description: "The credential's ID." })
  id!: string
}

@InputType({ description: 'Filters credentials.' })
export class ByokCredentialFilterInput {
  @Field(() => ByokProvider, {
    nullable: true,
    description: 'The vendor of the credentials. `null` lists the credentials of every vendor.',
  })
  provider?: AnyProvider | null
}

/** Returns the settings of an input. Settings that were left out stay `undefined`; `null` removes a setting. */
export function settingsOf(input: ByokSettingsInput): Omit<CredentialSettings, 'label'> {
  return {
    apiKey: input.apiKey,
    baseUrl: input.baseUrl,
    config: input.configJson,
    alwaysUse: input.alwaysUse ?? undefined,
    priority: input.priority ?? undefined,
  }
}

/** Returns the changes of an input. A `null` label is refused like an empty label. */
export function changesOf(input: UpdateByokCredentialInput): CredentialSettings {
  return {
    ...settingsOf(input),
    label: input.label === null ? '' : input.label,
    disabled: input.disabled ?? undefined,
  }
}
