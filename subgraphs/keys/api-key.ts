import { Ctx, Directive, Field, ID, ObjectType } from 'type-graphql'
import { type KeyRecord, openFullKey } from '../../domain/keys/key-records.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { requireSession } from '../runtime/call.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

export const CreditResetInterval = graphEnum<ResetInterval>('CreditResetInterval', {
  description: 'How often what a key has spent begins anew, by UTC.',
  values: {
    none: 'Never: the cap is for the whole life of the key.',
    daily: 'Each day at midnight.',
    weekly: 'Each Monday at midnight.',
    monthly: 'On the first of each month at midnight.',
  },
})

const User = entityReference('User')

@ObjectType({ description: 'A key that programs call with.' })
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID, { description: 'What names it everywhere.' })
  id!: string

  @Field(() => String, { description: 'What it is called.' })
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

  @Field(() => Boolean, { description: 'Refused while this is true.' })
  disabled!: boolean

  @Field(() => User, { nullable: true, description: 'Who created it.' })
  createdBy!: { id: string } | null

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date

  @Field(() => Money, { nullable: true, description: 'The spend cap; null is unlimited.' })
  creditLimit!: bigint | null

  @Field(() => CreditResetInterval, { description: 'How often the cap begins anew.' })
  creditResetInterval!: ResetInterval

  @Field(() => Money, { description: 'Spent in the current period.' })
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
  const { id, name, keyPrefix, ipWhitelist, rateLimitRpm, rateLimitTph, rateLimitTpd, createdBy } = record
  const { isProvisioning, disabled, createdAt, creditResetInterval, creditPeriodStart, expiresAt } = record
  return Object.assign(new ApiKey(), {
    id,
    name,
    keyPrefix,
    ipWhitelist,
    rateLimitRpm,
    rateLimitTph,
    rateLimitTpd,
    isProvisioning,
    disabled,
    createdBy: createdBy === null ? null : { id: createdBy },
    createdAt,
    creditLimit: record.creditLimitNanos,
    creditResetInterval,
    creditUsed: record.creditUsedNanos,
    creditPeriodStart,
    expiresAt,
    record,
  })
}
