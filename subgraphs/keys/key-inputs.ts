import { Field, ID, InputType } from 'type-graphql'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'
import { CreditResetInterval } from './api-key.ts'

/** What may be set on a key at any time; null takes a limit away. */
@InputType({ description: 'The limits of a key.' })
class KeyLimitsInput {
  @Field(() => [String], { nullable: true, description: 'At most 10 IPv4 addresses or CIDR ranges.' })
  ipWhitelist?: string[] | null

  @Field(() => Count, { nullable: true, description: 'Requests a minute.' })
  rateLimitRpm?: number | null

  @Field(() => Count, { nullable: true, description: 'Tokens an hour.' })
  rateLimitTph?: number | null

  @Field(() => Count, { nullable: true, description: 'Tokens a day.' })
  rateLimitTpd?: number | null

  @Field(() => Money, { nullable: true, description: 'The spend cap; null is unlimited.' })
  creditLimit?: bigint | null

  @Field(() => CreditResetInterval, {
    nullable: true,
    description: 'How often the cap begins anew; never unless told.',
  })
  creditResetInterval?: ResetInterval | null

  @Field(() => DateTime, { nullable: true, description: 'Refused from then on; null is never.' })
  expiresAt?: Date | null
}

@InputType({ description: 'The settings of a new key.' })
export class CreateApiKeyInput extends KeyLimitsInput {
  @Field(() => String, { description: 'What it is called: 1 to 200 characters.' })
  name!: string

  @Field(() => Boolean, {
    nullable: true,
    description: 'Makes a key that manages the account, and does not call models.',
    defaultValue: false,
  })
  isProvisioning?: boolean | null
}

@InputType({ description: 'Which key is changed, and how. What is left out stays as it is.' })
export class UpdateApiKeyInput extends KeyLimitsInput {
  @Field(() => ID, { description: 'The key.' })
  id!: string

  @Field(() => String, { nullable: true, description: 'What it is called: 1 to 200 characters.' })
  name?: string | null

  @Field(() => Boolean, { nullable: true, description: 'Refused while this is true.' })
  disabled?: boolean | null
}

/** The settings in an input: the same names and meanings, but that dollars are nano-dollars inside. */
export function settingsOf<Input extends KeyLimitsInput>({ creditLimit, ...settings }: Input) {
  return { ...settings, creditLimitNanos: creditLimit }
}

@InputType({ description: 'Which key is revoked.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The key.' })
  id!: string
}
