import { Field, ObjectType } from 'type-graphql'
import type { Balance as BalanceRow } from '../../domain/billing/read-balances.ts'
import { Dollars } from '../runtime/types/dollars.ts'

@ObjectType({ description: 'What an account owns, and what of it can be spent.' })
export class Balance {
  @Field(() => Dollars, { description: 'The raw balance: changed by top-ups and completed charges alone.' })
  credits!: bigint

  @Field(() => Dollars, { description: 'Reserved for tasks and requests in flight.' })
  held!: bigint

  @Field(() => Dollars, { description: 'Credits minus held: what can be spent.' })
  available!: bigint

  @Field(() => String, { description: 'Always USD.' })
  currency!: string
}

export function presentBalance({ creditsNanos, heldNanos, availableNanos }: BalanceRow): Balance {
  return { credits: creditsNanos, held: heldNanos, available: availableNanos, currency: 'USD' }
}
