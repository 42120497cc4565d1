import { Field, ObjectType } from 'type-graphql'
import type { Usage as UsageRow } from '../../domain/logs/usage-per-key.ts'
import { Count } from '../runtime/types/count.ts'
import { Dollars } from '../runtime/types/dollars.ts'

@ObjectType({ description: 'What requests came to in a period.' })
export class Usage {
  @Field(() => Count, {
    description: 'All that were logged: failed ones, and those on own credentials, as well.',
  })
  requests!: number

  @Field(() => Dollars)
  spent!: bigint

  @Field(() => Count)
  promptTokens!: number

  @Field(() => Count)
  completionTokens!: number
}

export function presentUsage({ spentNanos, requests, promptTokens, completionTokens }: UsageRow): Usage {
  return { spent: spentNanos, requests, promptTokens, completionTokens }
}
