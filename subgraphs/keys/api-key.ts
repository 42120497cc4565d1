import { Ctx, Directive, Field, ID, ObjectType } from 'type-graphql'
import { mayManageKey } from '../../domain/callers/scopes.ts'
import { type KeyRecord, openFullKey } from '../../domain/keys/key-records.ts'
import type { KeyScope, ResetInterval } from '../../schema/entities/keys.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { CreditResetInterval } from '../runtime/shared-enums.ts'
import { ApiKeyScope } from './key-inputs.ts'

const User = entityReference('User')

@ObjectType({ description: 'An API key. Ordinary keys call models; provisioning keys manage the account.' })
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID, { description: "The key's ID." })
  id!: string

  @Field(() => String, { description: "The key's name, 1 to 200 characters." })
  name!: string

  @Field(() => String, {
    description: 'The first 12 characters of the key, an ellipsis and the last 4 characters.',
  })
  keyPrefix!: string

  @Field(() => [String], {
    description:
      'IPv4 addresses and CIDR ranges that may use the key, at most 10. An empty list allows every address.',
  })
  ipWhitelist!: string[]

  @Field(() => [String], {
    description:
      'Patterns of the models that the key can call, by ID or alias, such as `vendor_a/*`. `*` matches any characters. An empty list allows every model.',
  })
  allowedModels!: string[]

  @Field(() => [String], {
    description:
      'Patterns of the vendors whose models the key can call, by label or alias. An empty list allows every vendor.',
  })
  allowedVendors!: string[]

  @Field(() => Count, {
    nullable: true,
    description: 'The maximum number of requests per minute. `null` means no limit.',
  })
  rateLimitRpm!: number | null

  @Field(() => Count, {
    nullable: true,
    description: 'The maximum number of tokens per hour. `null` means no limit.',
  })
  rateLimitTph!: number | null

  @Field(() => Count, {
    nullable: true,
    description: 'The maximum number of tokens per day. `null` means no limit.',
  })
  rateLimitTpd!: number | null

  @Field(() => Boolean, {
    description: 'Whether this is a provisioning key, which manages the account and cannot call models.',
  })
  isProvisioning!: boolean

  @Field(() => [ApiKeyScope], {
    description: 'The rights of a provisioning key. An empty list for ordinary keys.',
  })
  scopes!: KeyScope[]

  @Field(() => Boolean, {
    description:
      'Whether this is the key with which the playground of the console calls models. It has no text that a program could send.',
  })
  isPlayground!: boolean

  @Field(() => Boolean, {
    description: 'Whether the key is disabled. Requests with a disabled key fail with 403.',
  })
  disabled!: boolean

  @Field(() => User, {
    nullable: true,
    description: 'The user who created the key. `null` if it was not created in a session.',
  })
  createdBy!: { id: string } | null

  @Field(() => DateTime, { description: 'When the key was created.' })
  createdAt!: Date

  @Field(() => Money, {
    nullable: true,
    description:
      'The maximum amount that the key can spend per reset interval, in US dollars. `null` means no limit.',
  })
  creditLimit!: bigint | null

  @Field(() => CreditResetInterval, { description: 'How often the spent amount is reset to zero.' })
  creditResetInterval!: ResetInterval

  @Field(() => Money, {
    description:
      'The amount that the key has spent in the current period, in US dollars. Excludes amounts reserved for requests in progress.',
  })
  creditUsed!: bigint

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the current period started. With the interval `none`, this is when the key was created. `null` if the key has no credit limit.',
  })
  creditPeriodStart!: Date | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the key expires. Requests after this time fail with 403. `null` means never.',
  })
  expiresAt!: Date | null

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the secret that the last roll replaced stops being valid. `null` if only the current secret is valid.',
  })
  previousKeyEndsAt!: Date | null

  /** The record from which `fullKey` is decrypted. Not a field of the graph. */
  record!: KeyRecord

  @Field(() => String, {
    nullable: true,
    description:
      'The full key. Only sessions whose role permits managing the key, and that were confirmed within ten minutes (`confirmIdentity`), can read it. `null` for other callers, and for keys that were created before full keys were stored.',
  })
  fullKey(@Ctx() context: SubgraphContext): string | null {
    const mayRead = context.caller?.kind === 'session' && mayManageKey(context, this.record)
    return mayRead ? openFullKey(context, this.record) : null
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
    allowedModels: record.allowedModels,
    allowedVendors: record.allowedVendors,
    rateLimitRpm,
    rateLimitTph,
    rateLimitTpd,
    isProvisioning,
    scopes: record.scopes,
    isPlayground: record.isPlayground,
    disabled,
    createdBy: createdBy === null ? null : { id: createdBy },
    createdAt,
    creditLimit: record.creditLimitNanos,
    creditResetInterval,
    creditUsed: record.creditUsedNanos,
    creditPeriodStart,
    expiresAt,
    previousKeyEndsAt: record.previousEndsAt,
    record,
  })
}
