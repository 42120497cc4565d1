import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql'
import type { BalanceAlert as AlertRecord } from '../../domain/alerts/balance-alert-records.ts'
import { DateTime, Money } from '../runtime/scalars.ts'

@ObjectType({ description: 'Sends one e-mail when the credits of the account fall below a threshold.' })
@Directive('@key(fields: "id")')
export class BalanceAlert {
  @Field(() => ID, { description: 'Names the alert.' })
  id!: string

  @Field(() => Money, { description: 'Credits below this fire the alert.' })
  threshold!: bigint

  @Field(() => Boolean, {
    description: 'Whether it can fire: credits were at the threshold, or above it, since it fired last.',
  })
  isArmed!: boolean

  @Field(() => DateTime, { nullable: true, description: 'When its last e-mail was sent.' })
  lastSentAt!: Date | null

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date
}

export function presentBalanceAlert({ thresholdNanos, ...rest }: AlertRecord): BalanceAlert {
  return Object.assign(new BalanceAlert(), { ...rest, threshold: thresholdNanos })
}

@InputType({ description: 'A new alert.' })
export class CreateBalanceAlertInput {
  @Field(() => Money, { description: 'Credits below this fire the alert: 0 to 1,000,000,000 dollars.' })
  threshold!: bigint
}

@ObjectType({ description: 'The alert that was created.' })
export class CreateBalanceAlertPayload {
  @Field(() => BalanceAlert, { description: 'The alert.' })
  balanceAlert!: BalanceAlert
}

@InputType({ description: 'The alert to delete.' })
export class DeleteBalanceAlertInput {
  @Field(() => ID, { description: 'Names the alert.' })
  id!: string
}

@ObjectType({ description: 'The alert that was deleted.' })
export class DeleteBalanceAlertPayload {
  @Field(() => ID, { description: 'Named the alert.' })
  deletedBalanceAlertId!: string
}
