import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type { AttemptRecord, RequestLog as RequestLogRow } from '../../domain/logs/request-log.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'
import { Vendor } from '../runtime/shared-enums.ts'

/** Entities of other subgraphs. */
const ApiKey = entityReference('ApiKey')
const ByokCredential = entityReference('ByokCredential')

@ObjectType({
  description: 'One term of a cost; the terms add up to it. Amounts are exact dollars, as text.',
})
class CostTerm {
  @Field(() => String, { description: 'What was counted, e.g. `input` or `cache read`.' })
  label!: string

  @Field(() => Count, { description: 'How many units.' })
  quantity!: number

  @Field(() => String, { description: 'What is counted: tokens, seconds, pictures.' })
  unit!: string

  @Field(() => String, { description: 'Dollars per unit; finer than `Money` can say.' })
  rate!: string

  @Field(() => String, { description: 'Dollars: quantity times rate.' })
  amount!: string
}

@ObjectType({ description: 'One try to have a request answered.' })
export class RequestAttempt {
  @Field(() => ByokCredential, {
    nullable: true,
    description: "The account's own credential that was used; null is the platform's.",
  })
  credential!: { id: string } | null

  @Field(() => String, { description: 'The model that was tried, as requests name it.' })
  modelName!: string

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
@Directive('@key(fields: "id")')
export class RequestLog {
  @Field(() => ID, { description: 'As the answer carried it in x-request-id.' })
  id!: string

  @Field(() => DateTime, { description: 'When it arrived.' })
  createdAt!: Date

  @Field(() => ApiKey, { nullable: true, description: 'The key that it came with.' })
  apiKey!: { id: string }

  @Field(() => String, { description: 'What was called, e.g. chat.completions.' })
  route!: string

  @Field(() => String, { nullable: true, description: 'The model as the request named it.' })
  modelName!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of the model that answered, where it was a fallback.',
  })
  answeredByName!: string | null

  @Field(() => Vendor, { nullable: true, description: 'The vendor that answered.' })
  vendor!: string | null

  @Field(() => ByokCredential, {
    nullable: true,
    description: "The account's own credential that was used, if one was.",
  })
  credential!: { id: string } | null

  @Field(() => Boolean, { description: 'Whether the answer was a stream.' })
  streamed!: boolean

  @Field(() => Int, { description: 'HTTP status; 499 when the client left.' })
  status!: number

  @Field(() => String, { nullable: true, description: 'The code of the error that was answered.' })
  errorCode!: string | null

  @Field(() => Count, { description: 'Tokens of the prompt.' })
  promptTokens!: number

  @Field(() => Count, { description: 'Of the prompt, read from a cache.' })
  cachedTokens!: number

  @Field(() => Count, { description: 'Of the prompt, written to a cache.' })
  cacheCreationTokens!: number

  @Field(() => Count, { description: 'Tokens of the answer.' })
  completionTokens!: number

  @Field(() => Count, { description: 'Of the completion, spent on thinking.' })
  reasoningTokens!: number

  @Field(() => Boolean, { description: 'The vendor did not say what was used: the tokens are an estimate.' })
  usageEstimated!: boolean

  @Field(() => Money, { description: 'What was charged.' })
  cost!: bigint

  @Field(() => [CostTerm], {
    nullable: true,
    description: 'What made the cost; null where nothing was charged.',
  })
  costTerms!: CostTerm[] | null

  @Field(() => String, { nullable: true, description: 'The end user that the request named.' })
  endUser!: string | null

  @Field(() => String, { nullable: true, description: 'The address that it came from.' })
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

export function presentRequestLog(row: RequestLogRow): RequestLog {
  const { costNanos, createdMicros: _, apiKeyId, model, answeredBy, byokId, attempts, ...rest } = row
  return {
    ...rest,
    cost: costNanos,
    apiKey: { id: apiKeyId },
    modelName: model,
    answeredByName: answeredBy,
    credential: byokId === null ? null : { id: byokId },
    attempts: attempts?.map(presentAttempt) ?? null,
  }
}

function presentAttempt({ credentialId, model, ...rest }: AttemptRecord): RequestAttempt {
  return { ...rest, modelName: model, credential: credentialId === null ? null : { id: credentialId } }
}
