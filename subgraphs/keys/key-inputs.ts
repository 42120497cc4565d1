import { Field, InputType } from 'type-graphql'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Count, DateTime, Dollars } from '../runtime/scalars.ts'
import { CreditResetInterval } from './api-key.ts'

/** What may be set on a key at any time; null takes a limit away. */
@InputType()
class KeyLimitsInput {
  @Field(() => [String], { nullable: true, description: 'At most 10 IPv4 addresses or CIDR ranges.' })
  ipWhitelist?: string[] | null

  @Field(() => Count, { nullable: true, description: 'Requests a minute.' })
  rateLimitRpm?: number | null

  @Field(() => Count, { nullable: true, description: 'Tokens an hour.' })
  rateLimitTph?: number | null

  @Field(() => Count, { nullable: true, description: 'Tokens a day.' })
  rateLimitTpd?: number | null

  @Field(() => Dollars, { nullable: true })
  creditLimit?: bigint | null

  @Field(() => CreditResetInterval, { nullable: true })
  creditResetInterval?: ResetInterval | null

  @Field(() => DateTime, { nullable: true })
  expiresAt?: Date | null
}

@InputType()
export class CreateApiKeyInput extends KeyLimitsInput {
  @Field(() => String)
  name!: string

  @Field(() => Boolean, { nullable: true, description: 'Makes a key that manages the account.' })
  isProvisioning?: boolean | null
}

@InputType()
export class UpdateApiKeyInput extends KeyLimitsInput {
  @Field(() => String, { nullable: true })
  name?: string | null

  @Field(() => Boolean, { nullable: true })
  disabled?: boolean | null
}

/** The settings in an input: the same names and meanings, but that dollars are nano-dollars inside. */
export function settingsOf<Input extends KeyLimitsInput>({ creditLimit, ...settings }: Input) {
  return { ...settings, creditLimitNanos: creditLimit }
}
