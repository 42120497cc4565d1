import { Field, ID, InputType, Int } from 'type-graphql'
import { defaultOverlapHours } from '../../domain/overlap-hours.ts'
import type { KeyScope, ResetInterval } from '../../schema/entities/keys.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'
import { CreditResetInterval } from '../runtime/shared-enums.ts'

export const ApiKeyScope = graphEnum<KeyScope>('ApiKeyScope', {
  description: 'The rights of a provisioning key.',
  values: {
    all: 'Everything except managing API keys and members: `READ`, `BYOK`, `BILLING` and `TASKS`.',
    read: 'Read the data of the account. No secrets.',
    keys: 'List, create, update, roll and revoke ordinary API keys. Excludes provisioning keys and the full texts of existing keys.',
    byok: "Read and manage the account's own credentials for vendors.",
    billing: 'Read the balance, transactions and top-ups, start top-ups, and manage budgets and alerts.',
    tasks:
      'Read and cancel tasks, send callbacks again, and read and rotate the secrets that sign callbacks.',
    members: 'Read and manage members and invitations, up to the roles whose rights the key has itself.',
  },
})

/** Settings that can be changed at any time. `null` removes a limit. */
@InputType({ description: 'The limits of a key.' })
class KeyLimitsInput {
  @Field(() => [String], {
    nullable: true,
    description:
      'IPv4 addresses and CIDR ranges that may use the key, at most 10. An empty list or `null` allows every address.',
  })
  ipWhitelist?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Patterns of the models that the key can call, by ID or alias, such as `vendor_a/*`; at most 50. `*` matches any characters. An empty list or `null` allows every model.',
  })
  allowedModels?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Patterns of the vendors whose models the key can call, by label or alias; at most 50. An empty list or `null` allows every vendor.',
  })
  allowedVendors?: string[] | null

  @Field(() => Count, {
    nullable: true,
    description: 'The maximum number of requests per minute, 0 or more. `null` means no limit.',
  })
  rateLimitRpm?: number | null

  @Field(() => Count, {
    nullable: true,
    description: 'The maximum number of tokens per hour, 0 or more. `null` means no limit.',
  })
  rateLimitTph?: number | null

  @Field(() => Count, {
    nullable: true,
    description: 'The maximum number of tokens per day, 0 or more. `null` means no limit.',
  })
  rateLimitTpd?: number | null

  @Field(() => Money, {
    nullable: true,
    description:
      'The maximum amount that the key can spend per reset interval, in US dollars, 0 to 1,000,000,000. `null` means no limit.',
  })
  creditLimit?: bigint | null

  @Field(() => CreditResetInterval, {
    nullable: true,
    description: 'How often the spent amount is reset to zero. `null` means never.',
  })
  creditResetInterval?: ResetInterval | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the key expires. Requests after this time fail with 403. `null` means never.',
  })
  expiresAt?: Date | null

  @Field(() => [ApiKeyScope], {
    nullable: true,
    description:
      'The rights of a provisioning key: at least one scope. A new provisioning key has `ALL` if the field is left out. Ordinary keys have no scopes.',
  })
  scopes?: KeyScope[] | null
}

@InputType({ description: 'The settings of a new key.' })
export class CreateApiKeyInput extends KeyLimitsInput {
  @Field(() => String, { description: "The key's name, 1 to 200 characters." })
  name!: string

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to create a provisioning key, which manages the account and cannot call models.',
    defaultValue: false,
  })
  isProvisioning?: boolean | null
}

@InputType({ description: 'The key to roll.' })
export class RollApiKeyInput {
  @Field(() => ID, { description: "The key's ID." })
  id!: string

  @Field(() => Int, {
    defaultValue: defaultOverlapHours,
    description:
      'The time for which the previous secret stays valid, in hours, 0 to 168. With 0 it ends at once.',
  })
  overlapHours!: number
}

@InputType({
  description: 'The key to update and its new settings. Settings that are left out keep their value.',
})
export class UpdateApiKeyInput extends KeyLimitsInput {
  @Field(() => ID, { description: "The key's ID." })
  id!: string

  @Field(() => String, { nullable: true, description: "The key's name, 1 to 200 characters." })
  name?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the key is disabled. Requests with a disabled key fail with 403.',
  })
  disabled?: boolean | null
}

/** Returns the settings of an input, with the amount in nano-dollars instead of dollars. */
export function settingsOf<Input extends KeyLimitsInput>({ creditLimit, ...settings }: Input) {
  return { ...settings, creditLimitNanos: creditLimit }
}

@InputType({ description: 'The key to revoke.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: "The key's ID." })
  id!: string
}
