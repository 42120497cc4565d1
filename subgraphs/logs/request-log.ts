import { Field, ID, Int, ObjectType } from 'type-graphql'
import type { RequestLog as RequestLogRow } from '../../domain/logs/request-log.ts'
import { Count, DateTime, Dollars } from '../runtime/scalars.ts'

@ObjectType({
  description: 'One term of a cost; the terms add up to it. Amounts are exact dollars, as text.',
})
class CostTerm {
  @Field(() => String, { description: 'What was counted, e.g. `input` or `cache read`.' })
  label!: string

  @Field(() => Count)
  quantity!: number

  @Field(() => String)
  unit!: string

  @Field(() => String, { description: 'Dollars per unit; finer than `Dollars` can say.' })
  rate!: string

  @Field(() => String, { description: 'Dollars: quantity times rate.' })
  amount!: string
}

@ObjectType({ description: 'One try to have a request answered.' })
class RequestAttempt {
  @Field(() => ID, {
    nullable: true,
    description: "The own credential that was used; null is the platform's.",
  })
  credentialId!: string | null

  @Field(() => String)
  model!: string

  @Field(() => Int, { description: 'Milliseconds until it had ended.' })
  durationMs!: number

  @Field(() => Int, {
    nullable: true,
    description: "The vendor's HTTP status; null where it did not answer.",
  })
  status!: number | null

  @Field(() => String, { nullable: true, description: 'Why it failed; null where it succeeded.' })
  error!: string | null
}

@ObjectType({ description: 'One request to a model: who asked what, who answered, what it used and cost.' })
export class RequestLog {
  @Field(() => ID, { description: 'As the answer carried it in x-request-id.' })
  id!: string

  @Field(() => DateTime, { description: 'When it arrived.' })
  createdAt!: Date

  @Field(() => ID)
  apiKeyId!: string

  @Field(() => String, { description: 'What was called, e.g. chat.completions.' })
  route!: string

  @Field(() => String, { nullable: true, description: 'The model as the request named it.' })
  model!: string | null

  @Field(() => String, { nullable: true, description: 'The model that answered, where it was a fallback.' })
  answeredBy!: string | null

  @Field(() => String, { nullable: true, description: 'The label of the vendor that answered.' })
  vendor!: string | null

  @Field(() => ID, { nullable: true, description: 'The own credential that was used, if one was.' })
  byokId!: string | null

  @Field(() => Boolean)
  streamed!: boolean

  @Field(() => Int, { description: 'HTTP status; 499 when the client left.' })
  status!: number

  @Field(() => String, { nullable: true })
  errorCode!: string | null

  @Field(() => Count)
  promptTokens!: number

  @Field(() => Count, { description: 'Of the prompt, read from a cache.' })
  cachedTokens!: number

  @Field(() => Count, { description: 'Of the prompt, written to a cache.' })
  cacheCreationTokens!: number

  @Field(() => Count)
  completionTokens!: number

  @Field(() => Count, { description: 'Of the completion, spent on thinking.' })
  reasoningTokens!: number

  @Field(() => Boolean, { description: 'The vendor did not say what was used: the tokens are an estimate.' })
  usageEstimated!: boolean

  @Field(() => Dollars)
  cost!: bigint

  @Field(() => [CostTerm], {
    nullable: true,
    description: 'What made the cost; null where nothing was charged.',
  })
  costTerms!: CostTerm[] | null

  @Field(() => String, { nullable: true, description: 'The end user that the request named.' })
  endUser!: string | null

  @Field(() => String, { nullable: true })
  clientAddress!: string | null

  @Field(() => String, { nullable: true, description: "The vendor's own id of the request." })
  upstreamRequestId!: string | null

  @Field(() => Int, { nullable: true, description: 'Milliseconds until the first byte of the answer.' })
  firstByteMs!: number | null

  @Field(() => Int, { description: 'Milliseconds until its end.' })
  durationMs!: number

  @Field(() => [RequestAttempt], {
    nullable: true,
    description:
      'Every attempt, the last one last; null where the first succeeded. Of more than 20 some are left out.',
  })
  attempts!: RequestAttempt[] | null
}

export function presentRequestLog({ costNanos, createdMicros: _, ...rest }: RequestLogRow): RequestLog {
  return { ...rest, cost: costNanos }
}
