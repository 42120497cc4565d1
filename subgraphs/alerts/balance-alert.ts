import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql'
import type { BalanceAlert as AlertRecord } from '../../domain/alerts/balance-alert-records.ts'
import { DateTime, Money } from '../runtime/scalars.ts'

@ObjectType({
  description: 'A balance alert. It notifies the account once when its credits fall below a threshold.',
})
@Directive('@key(fields: "id")')
export class BalanceAlert {
  @Field(() => ID, { description: "The alert's ID." })
  id!: string

  @Field(() => Money, {
    description: 'The threshold, in US dollars. The alert fires when credits fall below it.',
  })
  threshold!: bigint

  @Field(() => Boolean, {
    description:
      'Whether the alert can fire: since it last fired, credits have been at or above the threshold.',
  })
  isArmed!: boolean

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the alert last sent an e-mail. `null` if it has not sent any.',
  })
  lastSentAt!: Date | null

  @Field(() => DateTime, { description: 'When the alert was created.' })
  createdAt!: Date
}

export function presentBalanceAlert({ thresholdNanos, ...rest }: AlertRecord): BalanceAlert {
  return Object.assign(new BalanceAlert(), { ...rest, threshold: thresholdNanos })
}

@InputType({ description: 'The settings of a new balance alert.' })
export class CreateBalanceAlertInput {
  @Field(() => Money, {
    description:
      'The threshold in US dollars, 0 to 1,000,000,000. The alert fires when credits fall below it.',
  })
  threshold!: bigint
}

@ObjectType({ description: 'The result of creating a balance alert.' })
export class CreateBalanceAlertPayload {
  @Field(() => BalanceAlert, { description: 'The new alert.' })
  balanceAlert!: BalanceAlert
}

@InputType({ description: 'The alert to delete.' })
export class DeleteBalanceAlertInput {
  @Field(() => ID, { description: "The alert's ID." })
  id!: string
}

@ObjectType({ description: 'The result of deleting a balance alert.' })
export class DeleteBalanceAlertPayload {
  @Field(() => ID, { description: 'The ID of the deleted alert.' })
  deletedBalanceAlertId!: string
}
