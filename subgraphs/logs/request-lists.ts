import { ArgsType, Field, ID, InputType } from 'type-graphql'
import { type RequestOrderField, requestOrder } from '../../domain/logs/list-requests.ts'
import { type RequestFilter, type StatusRange, statusShape } from '../../domain/logs/request-filter.ts'
import type { KeysetOrder } from '../../platform/postgres/keyset.ts'
import { Problem } from '../../schema/errors.ts'
import { AccountConnectionArgs, checkList } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf } from '../runtime/key-scope.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import { OrderDirection, Vendor } from '../runtime/shared-enums.ts'

@InputType({
  description: 'Which requests are wanted. Several values of one field mean any of them; fields combine.',
})
export class RequestFilterInput {
  @Field(() => DateTime, { nullable: true, description: 'Arrived at this time or after it.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Arrived before this time.' })
  until?: Date | null

  @Field(() => [ID], { nullable: true, description: 'Came with one of these keys.' })
  apiKeyIds?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Named one of these models: `<vendor>/<model_name>`.',
  })
  models?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Had one of these HTTP statuses, `402`, or a class of them, `4xx`.',
  })
  statuses?: string[] | null

  @Field(() => [Vendor], { nullable: true, description: 'Were answered by one of these vendors.' })
  vendors?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Named one of these end users.' })
  endUsers?: string[] | null

  @Field(() => Money, { nullable: true, description: 'Cost so much or more.' })
  minCost?: bigint | null

  @Field(() => Money, { nullable: true, description: 'Cost so much or less.' })
  maxCost?: bigint | null
}

/** Reads a filter as the verb takes it. Throws `validation_failed`, naming the argument. */
export function filterOf(filter: RequestFilterInput | null | undefined): RequestFilter {
  const { since, until, apiKeyIds, models, statuses, vendors, endUsers, minCost, maxCost } = filter ?? {}
  return {
    since: since ?? undefined,
    until: until ?? undefined,
    keyIds: keyIdsOf(apiKeyIds),
    models: checkList(models, 'filter.models'),
    statuses: checkList(statuses, 'filter.statuses')?.map(readStatus),
    vendors: checkList(vendors, 'filter.vendors'),
    endUsers: checkList(endUsers, 'filter.endUsers'),
    minCostNanos: minCost ?? undefined,
    maxCostNanos: maxCost ?? undefined,
  }
}

function readStatus(text: string): StatusRange {
  const [, digit, rest] = statusShape.exec(text) ?? []
  if (digit === undefined || rest === undefined) {
    const param = 'filter.statuses'
    const message = `${param} must be HTTP statuses such as 402, or classes such as 4xx.`
    throw new Problem('validation_failed', { param, message })
  }
  const of = (lastDigits: string) => Number(digit + (rest === 'xx' ? lastDigits : rest))
  return { lowest: of('00'), highest: of('99') }
}

const RequestOrderFieldEnum = graphEnum<RequestOrderField>('RequestOrderField', {
  description:
    'What a list of requests is ordered by. Other orders than that of time are of the last 24 hours, unless the filter says since when.',
  values: {
    created_at: 'When they arrived.',
    cost: 'What was charged.',
    duration: 'How long they took.',
    status: 'Their HTTP status.',
    api_key: 'The id of the key that they came with.',
    model: 'The name of the model that they named.',
    vendor: 'The label of the vendor that answered.',
  },
})

@InputType({ description: 'The order of a list of requests.' })
export class RequestOrderInput {
  @Field(() => RequestOrderFieldEnum, { description: 'What it is ordered by.' })
  field!: RequestOrderField

  @Field(() => OrderDirection, { description: 'Which way it runs.' })
  direction!: 'asc' | 'desc'
}

@ArgsType()
export class RequestArgs extends AccountConnectionArgs {
  @Field(() => RequestFilterInput, { nullable: true, description: 'Which requests; all unless given.' })
  filter?: RequestFilterInput | null

  @Field(() => RequestOrderInput, {
    nullable: true,
    description: 'In which order; the newest first unless given.',
  })
  orderBy?: RequestOrderInput | null
}

/** The columns of an order. */
export function orderOf(input: RequestOrderInput | null | undefined): KeysetOrder {
  return requestOrder(input?.field, input?.direction)
}
