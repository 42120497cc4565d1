import { ArgsType, Field, ID, InputType } from 'type-graphql'
import { type RequestOrderField, requestOrder } from '../../domain/logs/list-requests.ts'
import { type RequestFilter, type StatusRange, statusShape } from '../../domain/logs/request-filter.ts'
import { type MetadataPair, readPair } from '../../domain/logs/request-metadata.ts'
import type { KeysetOrder } from '../../platform/postgres/keyset.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { AccountConnectionArgs, checkList, orderInput } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf } from '../runtime/key-scope.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import { Vendor } from '../runtime/shared-enums.ts'

@InputType({
  description: "Filters requests. A request must match every given field, and any one of a field's values.",
})
export class RequestFilterInput {
  @Field(() => DateTime, { nullable: true, description: 'Requests that arrived at or after this time.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Requests that arrived before this time.' })
  until?: Date | null

  @Field(() => [ID], { nullable: true, description: 'Requests with one of these API keys.' })
  apiKeyIds?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Requests for one of these models, as `<vendor>/<model_name>`.',
  })
  models?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Requests with one of these HTTP statuses, for example `402`, or status classes, for example `4xx`.',
  })
  statuses?: string[] | null

  @Field(() => [Vendor], {
    nullable: true,
    description: 'Requests that were answered by one of these vendors.',
  })
  vendors?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Requests for one of these end users.' })
  endUsers?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Requests with one of these pairs of metadata, for example `team=red`.',
  })
  metadata?: string[] | null

  @Field(() => Money, {
    nullable: true,
    description: 'Requests that cost at least this amount, in US dollars.',
  })
  minCost?: bigint | null

  @Field(() => Money, {
    nullable: true,
    description: 'Requests that cost at most this amount, in US dollars.',
  })
  maxCost?: bigint | null
}

/** Parses the filter. Throws `validation_failed` with the name of the argument. */
export function filterOf(filter: RequestFilterInput | null | undefined): RequestFilter {
  const { since, until, apiKeyIds, models, statuses, vendors, endUsers, metadata, minCost, maxCost } =
    filter ?? {}
  return {
    since: since ?? undefined,
    until: until ?? undefined,
    keyIds: keyIdsOf(apiKeyIds),
    models: checkList(models, 'filter.models'),
    statuses: checkList(statuses, 'filter.statuses')?.map(readStatus),
    vendors: checkList(vendors, 'filter.vendors'),
    endUsers: checkList(endUsers, 'filter.endUsers'),
    metadata: checkList(metadata, 'filter.metadata')?.map(readMetadataPair),
    minCostNanos: minCost ?? undefined,
    maxCostNanos: maxCost ?? undefined,
  }
}

/** Parses a pair of a filter. Throws `validation_failed` with the name of the argument. */
export function readMetadataPair(text: string): MetadataPair {
  return (
    readPair(text) ?? refuseParam('filter.metadata', 'must be pairs of a key and a value such as team=red')
  )
}

function readStatus(text: string): StatusRange {
  const [, digit, rest] = statusShape.exec(text) ?? []
  if (digit === undefined || rest === undefined)
    return refuseParam('filter.statuses', 'must be HTTP statuses such as 402, or classes such as 4xx')
  const of = (lastDigits: string) => Number(digit + (rest === 'xx' ? lastDigits : rest))
  return { lowest: of('00'), highest: of('99') }
}

const RequestOrderFieldEnum = graphEnum<RequestOrderField>('RequestOrderField', {
  description:
    'The field by which requests are sorted. If it is not the time and the filter has no `since`, only requests of the last 24 hours are listed.',
  values: {
    created_at: 'The time at which the request arrived.',
    cost: 'The charged amount.',
    duration: 'The duration.',
    status: 'The HTTP status.',
    api_key: 'The ID of the API key.',
    model: "The requested model's name.",
    vendor: 'The label of the vendor that answered.',
  },
})

export const RequestOrderInput = orderInput('Request', { of: 'requests', fields: RequestOrderFieldEnum })
export type RequestOrderInput = InstanceType<typeof RequestOrderInput>

@ArgsType()
export class RequestArgs extends AccountConnectionArgs {
  @Field(() => RequestFilterInput, {
    nullable: true,
    description: 'The filter. Without it, all requests are listed.',
  })
  filter?: RequestFilterInput | null

  @Field(() => RequestOrderInput, {
    nullable: true,
    description: 'The sort order. Defaults to newest first.',
  })
  orderBy?: RequestOrderInput | null
}

/** Returns the columns to sort by. */
export function orderOf(input: RequestOrderInput | null | undefined): KeysetOrder {
  return requestOrder(input?.field, input?.direction)
}
