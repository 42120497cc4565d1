import { Field, ID, ObjectType } from 'type-graphql'
import type { Transaction as TransactionRow } from '../../domain/billing/list-transactions.ts'
import { DateTime } from '../runtime/types/date-time.ts'
import { Dollars } from '../runtime/types/dollars.ts'

@ObjectType({ description: 'What changed a balance: a completed charge or a top-up.' })
export class Transaction {
  @Field(() => ID)
  id!: string

  @Field(() => Dollars, { description: 'Negative for usage, positive for a top-up.' })
  credits!: bigint

  @Field(() => Dollars, { description: 'The same without its sign.' })
  amount!: bigint

  @Field(() => String, { description: '`usage`, or how a top-up was paid.' })
  paymentMethod!: string

  @Field(() => String)
  status!: string

  @Field(() => ID, { nullable: true, description: 'The key that a usage row was spent through.' })
  apiKeyId!: string | null

  @Field(() => ID, { nullable: true, description: 'The request that a usage row paid for.' })
  requestId!: string | null

  @Field(() => ID, { nullable: true, description: 'The task that a usage row paid for.' })
  taskId!: string | null

  @Field(() => DateTime)
  createdAt!: Date
}

export function presentTransaction({ creditsNanos, ...rest }: TransactionRow): Transaction {
  return { ...rest, credits: creditsNanos, amount: creditsNanos < 0n ? -creditsNanos : creditsNanos }
}
