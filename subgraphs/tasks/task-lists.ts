import { ArgsType, Field, ID, InputType } from 'type-graphql'
import type { Caller } from '../../domain/callers/caller.ts'
import type { TaskFilter } from '../../domain/tasks/list-tasks.ts'
import {
  type TaskKind as AnyKind,
  openStatuses,
  type TaskStatus as StateWord,
} from '../../domain/tasks/task.ts'
import type { KeysetOrder } from '../../platform/postgres/keyset.ts'
import { Problem } from '../../schema/errors.ts'
import { ConnectionArgs, checkList, type PageSlice } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf, limitToCaller } from '../runtime/key-scope.ts'
import { DateTime } from '../runtime/scalars.ts'
import { OrderDirection } from '../runtime/shared-enums.ts'
import { type StatusWord, TaskKind, TaskStatus } from './task.ts'

@InputType({
  description: 'Which tasks are wanted. Several values of one field mean any of them; fields combine.',
})
export class TaskFilterInput {
  @Field(() => [TaskKind], { nullable: true, description: 'What they make.' })
  kinds?: AnyKind[] | null

  @Field(() => [TaskStatus], { nullable: true, description: 'How they stand.' })
  statuses?: StatusWord[] | null

  @Field(() => [String], { nullable: true, description: 'Models as the requests named them.' })
  models?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'The keys that submitted them.' })
  apiKeyIds?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Submitted at this time or after it.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Submitted before this time.' })
  until?: Date | null
}

/**
 * Reads a filter as the verb takes it. An ordinary key sees what it submitted itself. Throws `validation_failed`,
 * naming the argument, and `forbidden` where an ordinary key names another.
 */
export function filterOf(filter: TaskFilterInput | null | undefined, caller: Caller): TaskFilter {
  const { kinds, statuses, models, apiKeyIds, since, until } = filter ?? {}
  return limitToCaller(caller, {
    kinds: checkList(kinds, 'filter.kinds'),
    statuses: checkList(statuses, 'filter.statuses')?.flatMap(statesOf),
    models: checkList(models, 'filter.models'),
    keyIds: keyIdsOf(apiKeyIds),
    since: since ?? undefined,
    until: until ?? undefined,
  })
}

function statesOf(status: StatusWord): readonly StateWord[] {
  if (status === 'pending') return openStatuses
  return status === 'success' ? ['success'] : ['failed', 'cancelled']
}

const TaskOrderFieldEnum = graphEnum<'created_at'>('TaskOrderField', {
  description: 'What a list of tasks is ordered by.',
  values: { created_at: 'When they were submitted.' },
})

@InputType({ description: 'The order of a list of tasks.' })
class TaskOrderInput {
  @Field(() => TaskOrderFieldEnum, { description: 'What it is ordered by.' })
  field!: 'created_at'

  @Field(() => OrderDirection, { description: 'Which way it runs.' })
  direction!: 'asc' | 'desc'
}

@ArgsType()
export class TaskArgs extends ConnectionArgs {
  @Field(() => TaskFilterInput, { nullable: true, description: 'Which tasks; all unless given.' })
  filter?: TaskFilterInput | null

  @Field(() => TaskOrderInput, {
    nullable: true,
    description: 'In which order; the newest first unless given.',
  })
  orderBy?: TaskOrderInput | null
}

/** The columns of an order: ids begin with their time. */
export function orderOf(input: TaskOrderInput | null | undefined) {
  const direction = input?.direction ?? 'desc'
  return [{ name: 'id', type: 'text', direction }] as const satisfies KeysetOrder
}

/** The part of the list as `listTasks` takes it. Throws `validation_failed` for a cursor that counts items. */
export function rangeOf({ limit, after, before, fromEnd, offset = 0 }: PageSlice, direction: 'asc' | 'desc') {
  if (offset > 0)
    throw new Problem('validation_failed', {
      param: 'after',
      message: 'after must be a cursor of this list.',
    })
  const [following, preceding] = fromEnd ? [before, after] : [after, before]
  return {
    limit,
    oldestFirst: (direction === 'asc') !== fromEnd,
    after: positionOf(following),
    before: positionOf(preceding),
  }
}

function positionOf(position: readonly string[] | undefined): { id: string } | undefined {
  const [id] = position ?? []
  return id === undefined ? undefined : { id }
}
