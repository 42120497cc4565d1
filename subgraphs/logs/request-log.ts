import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type { AttemptRecord, RequestLog as RequestLogRow } from '../../domain/logs/request-log.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'
import { Vendor } from '../runtime/shared-enums.ts'
import { CostTerm } from './cost-term.ts'

/** Entities of other subgraphs. */
const ApiKey = entityReference('ApiKey')
const ByokCredential = entityReference('ByokCredential')

@ObjectType({ description: "A pair of the client's `metadata`." })
class RequestMetadata {
  @Field(() => String, { description: 'The key, 1 to 64 characters.' })
  key!: string

  @Field(() => String, { description: 'The value, at most 512 characters.' })
  value!: string
}

@ObjectType({ description: 'One attempt to answer a request with a model and a credential.' })
export class RequestAttempt {
  @Field(() => ByokCredential, {
    nullable: true,
    description:
      "The account's own credential that was used. `null` if the platform's credential or none was used.",
  })
  credential!: { id: string } | null

  @Field(() => String, {
    nullable: true,
    description:
      "The name of the platform's credential that was used: `default` if the platform has one for the vendor. `null` if the account's own credential was used.",
  })
  credentialName!: string | null

  @Field(() => Vendor, {
    nullable: true,
    description: 'The vendor that was called. `null` for requests that were logged without it.',
  })
  vendor!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Why the vendor of the first attempt came first: `catalogue`, `request`, or the measure with its value for each vendor, for example `price: vendor_b $0.002, vendor_a $0.003`. `null` if one vendor serves the model.',
  })
  reason!: string | null

  @Field(() => String, { description: 'The name of the attempted model, `<vendor>/<model_name>`.' })
  modelName!: string

  @Field(() => Int, { description: 'The duration of the attempt, in milliseconds.' })
  durationMs!: number

  @Field(() => Int, {
    nullable: true,
    description: "The HTTP status of the vendor's response. `null` if the vendor did not respond.",
  })
  status!: number | null

  @Field(() => String, {
    nullable: true,
    description: 'The error of a failed attempt. `null` if the attempt succeeded.',
  })
  error!: string | null
}

@ObjectType({ description: 'A request to a model, with its usage and cost.' })
@Directive('@key(fields: "id")')
export class RequestLog {
  @Field(() => ID, { description: "The request's ID, as in the response header `x-request-id`." })
  id!: string

  @Field(() => DateTime, { description: 'When the request arrived.' })
  createdAt!: Date

  @Field(() => ApiKey, { nullable: true, description: 'The API key of the request.' })
  apiKey!: { id: string }

  @Field(() => String, { description: 'The endpoint, for example `chat.completions`.' })
  route!: string

  @Field(() => String, {
    nullable: true,
    description: 'The name of the requested model. `null` if the request named none.',
  })
  modelName!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of the fallback model that answered. `null` if no fallback was used.',
  })
  answeredByName!: string | null

  @Field(() => Vendor, { nullable: true, description: 'The vendor that answered. `null` if none did.' })
  vendor!: string | null

  @Field(() => ByokCredential, {
    nullable: true,
    description:
      "The account's own credential that was used. `null` if the platform's credential or none was used.",
  })
  credential!: { id: string } | null

  @Field(() => Boolean, { description: 'Whether the response was streamed.' })
  streamed!: boolean

  @Field(() => Int, { description: 'The HTTP status of the response. 499 if the client disconnected.' })
  status!: number

  @Field(() => String, {
    nullable: true,
    description: 'The code of the error in the response. `null` if the request succeeded.',
  })
  errorCode!: string | null

  @Field(() => Count, { description: 'The number of prompt tokens, including cached tokens.' })
  promptTokens!: number

  @Field(() => Count, { description: 'The number of prompt tokens that were read from a cache.' })
  cachedTokens!: number

  @Field(() => Count, { description: 'The number of prompt tokens that were written to a cache.' })
  cacheCreationTokens!: number

  @Field(() => Count, { description: 'The number of completion tokens, including reasoning tokens.' })
  completionTokens!: number

  @Field(() => Count, { description: 'The number of completion tokens that were used for reasoning.' })
  reasoningTokens!: number

  @Field(() => Boolean, {
    description: 'Whether the token counts are estimated, because the vendor did not report usage.',
  })
  usageEstimated!: boolean

  @Field(() => Money, { description: 'The charged amount, in US dollars.' })
  cost!: bigint

  @Field(() => [CostTerm], {
    nullable: true,
    description: 'The items of the cost. `null` if nothing was charged.',
  })
  costTerms!: CostTerm[] | null

  @Field(() => String, {
    nullable: true,
    description: 'The end user that the request named. `null` if it named none.',
  })
  endUser!: string | null

  @Field(() => [RequestMetadata], {
    nullable: true,
    description: "The pairs of the client's `metadata`, at most 16. `null` if the request had none.",
  })
  metadata!: RequestMetadata[] | null

  @Field(() => String, { nullable: true, description: "The client's IP address. `null` if it is unknown." })
  clientAddress!: string | null

  @Field(() => String, {
    nullable: true,
    description: "The vendor's ID of the request. `null` if the vendor returned none.",
  })
  upstreamRequestId!: string | null

  @Field(() => Int, {
    nullable: true,
    description:
      'The time until the first byte of the response, in milliseconds. `null` if nothing was sent.',
  })
  firstByteMs!: number | null

  @Field(() => Int, { description: 'The duration of the request, in milliseconds.' })
  durationMs!: number

  @Field(() => [RequestAttempt], {
    nullable: true,
    description:
      'The attempts in order, at most 20: the first 19 and the last. `null` if there was none, or if the first attempt succeeded and the model has one vendor with one credential of the platform.',
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

function presentAttempt({
  credentialId,
  credentialName = null,
  vendor = null,
  reason = null,
  model,
  ...rest
}: AttemptRecord): RequestAttempt {
  const credential = credentialId === null ? null : { id: credentialId }
  return { ...rest, credentialName, vendor, reason, modelName: model, credential }
}
