import { Field, InputType } from 'type-graphql'
import type { KeyChanges } from '../../domain/keys/change-key.ts'
import type { KeySettings } from '../../domain/keys/key-settings.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Count } from '../runtime/types/count.ts'
import { DateTime } from '../runtime/types/date-time.ts'
import { Dollars } from '../runtime/types/dollars.ts'
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

/** What an input sets. What was left out stays undefined; null means "none" where there is such a thing. */
export function settingsOf(input: KeyLimitsInput): Omit<KeySettings, 'name'> {
  const { ipWhitelist, creditLimit, creditResetInterval, ...rest } = input
  return {
    rateLimitRpm: rest.rateLimitRpm,
    rateLimitTph: rest.rateLimitTph,
    rateLimitTpd: rest.rateLimitTpd,
    expiresAt: rest.expiresAt,
    ipWhitelist: ipWhitelist === null ? [] : ipWhitelist,
    creditLimitNanos: creditLimit,
    creditResetInterval: creditResetInterval === null ? 'none' : creditResetInterval,
  }
}

/** The changes that an input asks for. A null name is refused like an empty one. */
export function changesOf(input: UpdateApiKeyInput): KeyChanges {
  return {
    ...settingsOf(input),
    name: input.name === null ? '' : input.name,
    disabled: input.disabled ?? undefined,
  }
}
