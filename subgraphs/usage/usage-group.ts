import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql'
import type {
  EndUserKind,
  UsageDimension,
  UsageFilter,
  UsageGroup as UsageGroupRow,
  UsageOrderField,
} from '../../domain/usage/list-usage.ts'
import { ConnectionArgs, checkList } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf } from '../runtime/key-scope.ts'
import { Day } from '../runtime/scalars.ts'
import { OrderDirection } from '../runtime/shared-enums.ts'
import { ApiKey } from './api-key.ts'
import { Usage } from './usage.ts'

export const UsageDimensionEnum = graphEnum<UsageDimension>('UsageDimension', {
  description: 'What usage is grouped by.',
  values: {
    day: 'The UTC day on which requests arrived.',
    api_key: 'The key that they came with.',
    model: 'The model that they named.',
    end_user: 'The end user that they named.',
  },
})

const EndUserKindEnum = graphEnum<EndUserKind>('EndUserKind', {
  description: 'Which end user a group is of.',
  values: {
    named: 'The one that is named.',
    none: 'Requests that named none.',
    others:
      'All who come after the first thousand of the account on a day: they are counted together, not one by one.',
  },
})

@InputType({
  description: 'Which usage counts. Several values of one field mean any of them; fields combine.',
})
export class UsageFilterInput {
  @Field(() => Day, { nullable: true, description: 'The first day; all that is kept unless given.' })
  since?: string | null

  @Field(() => Day, { nullable: true, description: 'The last day, itself included.' })
  until?: string | null

  @Field(() => [ID], { nullable: true, description: 'Came with one of these keys.' })
  apiKeyIds?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Named one of these models: `<vendor>/<model_name>`.',
  })
  models?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Named one of these end users.' })
  endUsers?: string[] | null
}

/** Reads a filter as the verb takes it. Throws `validation_failed`, naming the argument. */
export function usageFilterOf(filter: UsageFilterInput | null | undefined): UsageFilter {
  const { since, until, apiKeyIds, models, endUsers } = filter ?? {}
  return {
    since: since ?? undefined,
    until: until ?? undefined,
    keyIds: keyIdsOf(apiKeyIds),
    models: checkList(models, 'filter.models'),
    endUsers: checkList(endUsers, 'filter.endUsers'),
  }
}

const UsageOrderFieldEnum = graphEnum<UsageOrderField>('UsageOrderField', {
  description: 'What a list of usage is ordered by.',
  values: {
    group: 'What it is grouped by: the day, then key, model and end user.',
    spent: 'What was charged.',
    requests: 'How many requests there were.',
  },
})

@InputType({ description: 'The order of a list of usage.' })
export class UsageOrderInput {
  @Field(() => UsageOrderFieldEnum, { description: 'What it is ordered by.' })
  field!: UsageOrderField

  @Field(() => OrderDirection, { description: 'Which way it runs.' })
  direction!: 'asc' | 'desc'
}

@ArgsType()
export class UsageArgs extends ConnectionArgs {
  @Field(() => UsageFilterInput, {
    nullable: true,
    description: 'Which usage; all that is kept unless given.',
  })
  filter?: UsageFilterInput | null

  @Field(() => [UsageDimensionEnum], {
    defaultValue: ['day'],
    description: 'What it is grouped by; with an empty list it is all one group.',
  })
  groupBy!: UsageDimension[]

  @Field(() => UsageOrderInput, {
    nullable: true,
    description: 'In which order; by what it is grouped by, the latest day first, unless given.',
  })
  orderBy?: UsageOrderInput | null
}

@ObjectType({ description: 'What the requests of one group came to. What it is not grouped by is null.' })
export class UsageGroup extends Usage {
  @Field(() => Day, { nullable: true, description: 'The UTC day.' })
  day!: string | null

  @Field(() => ApiKey, { nullable: true, description: 'The key.' })
  apiKey!: ApiKey | null

  @Field(() => String, {
    nullable: true,
    description: 'The model as requests named it; empty where they named none.',
  })
  modelName!: string | null

  @Field(() => EndUserKindEnum, { nullable: true, description: 'Which end user it is.' })
  endUserKind!: EndUserKind | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of the end user, where the kind is `NAMED`.',
  })
  endUser!: string | null
}

export function presentUsageGroup({ spentNanos, keyId, model, endUser, ...rest }: UsageGroupRow): UsageGroup {
  return {
    ...rest,
    spent: spentNanos,
    apiKey: keyId === null ? null : { id: keyId },
    modelName: model,
    endUser: rest.endUserKind === 'named' ? endUser : null,
  }
}
