import { Ctx, Directive, Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import { type KeyRecord, openFullKey } from '../../domain/keys/key-records.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { requireSession } from '../runtime/call.ts'
import { Count, DateTime, Dollars } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

export const CreditResetInterval = {
  none: 'none',
  daily: 'daily',
  weekly: 'weekly',
  monthly: 'monthly',
} as const satisfies Record<ResetInterval, ResetInterval>

registerEnumType(CreditResetInterval, {
  name: 'CreditResetInterval',
  description: 'How often what a key has spent begins anew (UTC; weeks on Monday).',
})

@ObjectType({ description: 'A key that programs call with.' })
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID)
  id!: string

  @Field(() => String)
  name!: string

  @Field(() => String, { description: 'First 12 characters, an ellipsis, last 4.' })
  keyPrefix!: string

  @Field(() => [String], { description: 'IPv4 addresses or CIDR ranges; empty allows all.' })
  ipWhitelist!: string[]

  @Field(() => Count, { nullable: true, description: 'Requests a minute; null is unlimited.' })
  rateLimitRpm!: number | null

  @Field(() => Count, { nullable: true, description: 'Tokens an hour; null is unlimited.' })
  rateLimitTph!: number | null

  @Field(() => Count, { nullable: true, description: 'Tokens a day; null is unlimited.' })
  rateLimitTpd!: number | null

  @Field(() => Boolean, { description: 'Manages the account; does not call models.' })
  isProvisioning!: boolean

  @Field(() => Boolean)
  disabled!: boolean

  @Field(() => String, { nullable: true })
  createdBy!: string | null

  @Field(() => DateTime)
  createdAt!: Date

  @Field(() => Dollars, { nullable: true, description: 'The spend cap; null is unlimited.' })
  creditLimit!: bigint | null

  @Field(() => CreditResetInterval)
  creditResetInterval!: ResetInterval

  @Field(() => Dollars, { description: 'Spent in the current period.' })
  creditUsed!: bigint

  @Field(() => DateTime, { nullable: true, description: 'Start of the current period; null without a cap.' })
  creditPeriodStart!: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Refused from then on.' })
  expiresAt!: Date | null

  /** Not a field: what `fullKey` is opened from. */
  record!: KeyRecord

  @Field(() => String, { nullable: true, description: 'The whole key, for a session alone.' })
  fullKey(@Ctx() context: SubgraphContext): string | null {
    requireSession(context)
    return openFullKey(context, this.record)
  }
}

export function presentApiKey(record: KeyRecord): ApiKey {
  const { accountId, fullKeySealed, creditLimitNanos, creditUsedNanos, ...shown } = record
  return Object.assign(new ApiKey(), {
    ...shown,
    creditLimit: creditLimitNanos,
    creditUsed: creditUsedNanos,
    record,
  })
}
