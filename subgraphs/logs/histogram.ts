import { ArgsType, Field, ID, ObjectType } from 'type-graphql'
import { countSlots, maxSlots, type SlotLength } from '../../domain/logs/count-by-time.ts'
import type { RequestFilter } from '../../domain/logs/request-filter.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count, DateTime } from '../runtime/scalars.ts'
import { filterOf, RequestFilterInput } from './request-lists.ts'

const SlotLengthEnum = graphEnum<SlotLength>('HistogramSlot', {
  description: 'The length of the slots of a histogram. `usage` counts requests by day.',
  values: { minute: 'One minute.', five_minutes: 'Five minutes.', hour: 'One hour.' },
})

@ArgsType()
export class HistogramArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      'The account to read. Required for operators. Other callers can read only their own account and can omit it.',
  })
  accountId?: string | null

  @Field(() => RequestFilterInput, {
    description: 'The filter. `since` is required; `until` defaults to the current time.',
  })
  filter!: RequestFilterInput

  @Field(() => SlotLengthEnum, { description: 'The length of the slots. A period has at most 200 slots.' })
  slot!: SlotLength
}

@ObjectType({ description: 'The number of requests that arrived in a slot of time.' })
class RequestHistogramSlot {
  @Field(() => DateTime, { description: 'The start of the slot.' })
  since!: Date

  @Field(() => DateTime, { description: 'The end of the slot, exclusive.' })
  until!: Date

  @Field(() => Count, { description: 'The number of requests, including failed requests.' })
  requests!: number

  @Field(() => Count, {
    description:
      'The number of requests that failed with an error. Requests whose client disconnected do not count.',
  })
  failedRequests!: number
}

@ObjectType({ description: 'Requests by time of arrival.' })
export class RequestHistogram {
  @Field(() => [RequestHistogramSlot], {
    description: 'The slots of the period in order of time, at most 200. Slots without requests have zeros.',
  })
  slots!: RequestHistogramSlot[]

  @Field(() => DateTime, {
    description:
      'The time from which requests are counted: the start of the period, or a later time if the period has more than 100,000 requests. Earlier requests are not counted.',
  })
  countedSince!: Date
}

/** Parses the filter of a histogram. Throws `validation_failed` with the name of the argument. */
export function histogramFilterOf(
  { filter: input, slot }: HistogramArgs,
  now: Date,
): RequestFilter & { since: Date; until: Date } {
  const { since, until = now, ...filter } = filterOf(input)
  if (!since) return refuseParam('filter.since', 'must be set')
  if (countSlots({ since, until }, slot) > maxSlots)
    return refuseParam('slot', `must be longer: the period has more than ${maxSlots} of them`)
  return { ...filter, since, until }
}
