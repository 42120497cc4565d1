import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { UsageDimension, UsageFilter } from '../../domain/usage/group-usage.ts'
import type {
  LabelKind,
  UsageGroup as UsageGroupRow,
  UsageOrderField,
} from '../../domain/usage/list-usage.ts'
import type { Latency } from '../../domain/usage/read-latencies.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { readMetadataPair } from '../logs/request-lists.ts'
import { ConnectionArgs, checkList, orderInput } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf } from '../runtime/key-scope.ts'
import { Day } from '../runtime/scalars.ts'
import { ApiKey, Usage } from './usage.ts'

type NamedDimension = Exclude<UsageDimension, 'metadata'>

export const UsageDimensionEnum = graphEnum<NamedDimension>('UsageDimension', {
  description: 'The dimension by which usage is grouped.',
  values: {
    day: 'The UTC day on which requests arrived.',
    api_key: 'The API key of the requests.',
    model: 'The requested model.',
    end_user: 'The end user that requests named.',
  },
})

const EndUserKindEnum = graphEnum<LabelKind>('EndUserKind', {
  description: 'The kind of end user of a group.',
  values: {
    named: 'One named end user.',
    none: 'Requests without an end user.',
    others: "All end users after the account's first 1,000 of a day. They are counted together.",
  },
})

const MetadataKindEnum = graphEnum<LabelKind>('MetadataKind', {
  description: 'The kind of metadata of a group.',
  values: {
    named: 'One value of the key.',
    none: 'Requests whose `metadata` does not have the key.',
    others: "All values after the key's first 1,000 of a day. They are counted together.",
  },
})

@InputType({
  description: "Filters usage. Requests must match every given field, and any one of a field's values.",
})
export class UsageFilterInput {
  @Field(() => Day, {
    nullable: true,
    description: 'The first day. Defaults to the oldest day that is kept.',
  })
  since?: string | null

  @Field(() => Day, { nullable: true, description: 'The last day, inclusive.' })
  until?: string | null

  @Field(() => [ID], { nullable: true, description: 'Requests with one of these API keys.' })
  apiKeyIds?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Requests for one of these models, as `<vendor>/<model_name>`.',
  })
  models?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Requests for one of these end users.' })
  endUsers?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Requests with one of these pairs of metadata, for example `team=red`. All pairs must have the same key.',
  })
  metadata?: string[] | null
}

/** Parses the filter. Throws `validation_failed` with the name of the argument. */
function usageFilterOf(filter: UsageFilterInput | null | undefined): UsageFilter {
  const { since, until, apiKeyIds, models, endUsers, metadata } = filter ?? {}
  return {
    since: since ?? undefined,
    until: until ?? undefined,
    keyIds: keyIdsOf(apiKeyIds),
    models: checkList(models, 'filter.models'),
    endUsers: checkList(endUsers, 'filter.endUsers'),
    metadata: metadataOf(checkList(metadata, 'filter.metadata')),
  }
}

function metadataOf(texts: readonly string[] | undefined): UsageFilter['metadata'] {
  if (!texts) return undefined
  const pairs = texts.map(readMetadataPair)
  const key = pairs[0]?.key ?? ''
  if (pairs.some(pair => pair.key !== key))
    return refuseParam(
      'filter.metadata',
      'must be pairs of one key, because usage is counted for each key alone',
    )
  return { key, values: pairs.map(({ value }) => value) }
}

const UsageOrderFieldEnum = graphEnum<UsageOrderField>('UsageOrderField', {
  description: 'The field by which usage is sorted.',
  values: {
    group: 'The dimensions of the groups: day, then API key, model, end user and metadata.',
    spent: 'The charged amount.',
    requests: 'The number of requests.',
  },
})

export const UsageOrderInput = orderInput('Usage', { of: 'usage', fields: UsageOrderFieldEnum })
export type UsageOrderInput = InstanceType<typeof UsageOrderInput>

@ArgsType()
export class UsageArgs extends ConnectionArgs {
  @Field(() => UsageFilterInput, {
    nullable: true,
    description: 'The filter. Without it, all usage that is kept is listed.',
  })
  filter?: UsageFilterInput | null

  @Field(() => [UsageDimensionEnum], {
    defaultValue: ['day'],
    description: 'The dimensions by which to group. An empty list yields a single group.',
  })
  groupBy!: NamedDimension[]

  @Field(() => String, {
    nullable: true,
    description:
      'A key of metadata, for example `team`. Usage is also grouped by its values. If the filter has metadata, the keys must be equal.',
  })
  groupByMetadata?: string | null

  @Field(() => UsageOrderInput, {
    nullable: true,
    description: 'The sort order. Defaults to the dimensions of the groups, latest day first.',
  })
  orderBy?: UsageOrderInput | null
}

const latencyRule =
  'Only requests without an error count; tasks do not. Accurate to 19%, or to 8 ms. `null` if no request counts, or if usage is filtered or grouped by end user or metadata.'

@ObjectType({ description: 'The usage of one group. Dimensions by which usage is not grouped are `null`.' })
export class UsageGroup extends Usage {
  @Field(() => Day, { nullable: true, description: 'The UTC day. `null` unless usage is grouped by day.' })
  day!: string | null

  @Field(() => ApiKey, {
    nullable: true,
    description: 'The API key. `null` unless usage is grouped by API key.',
  })
  apiKey!: { id: string } | null

  @Field(() => String, {
    nullable: true,
    description:
      "The requested model's name. Empty if the requests named none. `null` unless usage is grouped by model.",
  })
  modelName!: string | null

  @Field(() => EndUserKindEnum, {
    nullable: true,
    description: 'The kind of end user. `null` unless usage is grouped by end user.',
  })
  endUserKind!: LabelKind | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of the end user. `null` unless the group is of one named end user.',
  })
  endUser!: string | null

  @Field(() => MetadataKindEnum, {
    nullable: true,
    description: 'The kind of metadata. `null` unless usage is grouped by metadata.',
  })
  metadataKind!: LabelKind | null

  @Field(() => String, {
    nullable: true,
    description: 'The value of the key by which usage is grouped. `null` unless the group is of one value.',
  })
  metadataValue!: string | null

  readLatency!: () => Promise<Latency | undefined>

  @Field(() => Int, {
    nullable: true,
    description: `The median duration of the group's requests, in milliseconds. ${latencyRule}`,
  })
  async durationP50Ms(): Promise<number | null> {
    return (await this.readLatency())?.durationP50Ms ?? null
  }

  @Field(() => Int, {
    nullable: true,
    description: `The duration that 95% of the group's requests did not exceed, in milliseconds. ${latencyRule}`,
  })
  async durationP95Ms(): Promise<number | null> {
    return (await this.readLatency())?.durationP95Ms ?? null
  }

  @Field(() => Int, {
    nullable: true,
    description: `The median time until the first byte of the group's streamed responses, in milliseconds. ${latencyRule}`,
  })
  async firstByteP50Ms(): Promise<number | null> {
    return (await this.readLatency())?.firstByteP50Ms ?? null
  }

  @Field(() => Int, {
    nullable: true,
    description: `The time until the first byte that 95% of the group's streamed responses did not exceed, in milliseconds. ${latencyRule}`,
  })
  async firstByteP95Ms(): Promise<number | null> {
    return (await this.readLatency())?.firstByteP95Ms ?? null
  }
}

/** Parses the filter and the dimensions. Throws `validation_failed` with the name of the argument. */
export function usageQueryOf({ filter: input, groupBy: named, groupByMetadata }: UsageArgs) {
  const filter = usageFilterOf(input)
  const metadataKey = groupByMetadata ?? undefined
  if (metadataKey === '') return refuseParam('groupByMetadata', 'must not be empty')
  if (metadataKey !== undefined && filter.metadata?.values.length && filter.metadata.key !== metadataKey)
    return refuseParam(
      'groupByMetadata',
      'must be the key of filter.metadata, because usage is counted for each key alone',
    )
  const dimensions: UsageDimension[] = [...(checkList(named, 'groupBy') ?? [])]
  return {
    filter,
    groupBy: metadataKey === undefined ? dimensions : [...dimensions, 'metadata' as const],
    metadataKey,
  }
}

/** The part of a group that GraphQL resolves by the methods of the class. */
type PresentedGroup = Omit<UsageGroup, `${'duration' | 'firstByte'}P${'50' | '95'}Ms`>

/** Returns a group with its figures. `readLatency` is called only if a latency of the group is selected. */
export function presentUsageGroup(
  { spentNanos, keyId, model, endUser, metadataValue, ...rest }: UsageGroupRow,
  readLatency: UsageGroup['readLatency'],
): PresentedGroup {
  return {
    ...rest,
    readLatency,
    spent: spentNanos,
    apiKey: keyId === null ? null : { id: keyId },
    modelName: model,
    endUser: rest.endUserKind === 'named' ? endUser : null,
    metadataValue: rest.metadataKind === 'named' ? metadataValue : null,
  }
}
