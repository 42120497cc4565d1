import { ArgsType, Field, ID, InputType } from 'type-graphql'
import type { Caller } from '../../domain/callers/caller.ts'
import type { TaskFilter } from '../../domain/tasks/list-tasks.ts'
import {
  type TaskKind as AnyKind,
  openStatuses,
  type TaskStatus as StateWord,
} from '../../domain/tasks/task.ts'
import type { KeysetOrder } from '../../platform/postgres/keyset.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { ConnectionArgs, checkList, orderInput, type PageSlice } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf, limitToCaller } from '../runtime/key-scope.ts'
import { DateTime } from '../runtime/scalars.ts'
import { type StatusWord, TaskKind, TaskStatus } from './task.ts'

@InputType({
  description: "Filters tasks. A task must match every given field, and any one of a field's values.",
})
export class TaskFilterInput {
  @Field(() => [TaskKind], { nullable: true, description: 'Tasks of one of these kinds.' })
  kinds?: AnyKind[] | null

  @Field(() => [TaskStatus], { nullable: true, description: 'Tasks with one of these statuses.' })
  statuses?: StatusWord[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Tasks with one of these models, as named in the requests.',
  })
  models?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Tasks that were submitted with one of these API keys.' })
  apiKeyIds?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Tasks that were submitted at or after this time.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Tasks that were submitted before this time.' })
  until?: Date | null
}

/**
 * Parses the filter. Ordinary keys are limited to the tasks that they submitted. Throws `validation_failed` with the
 * name of the argument, and `forbidden` if an ordinary key names another key.
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
  description: 'The field by which tasks are sorted.',
  values: { created_at: 'The time at which tasks were submitted.' },
})

const TaskOrderInput = orderInput('Task', { of: 'tasks', fields: TaskOrderFieldEnum })
type TaskOrderInput = InstanceType<typeof TaskOrderInput>

@ArgsType()
export class TaskArgs extends ConnectionArgs {
  @Field(() => TaskFilterInput, {
    nullable: true,
    description: 'The filter. Without it, all tasks are listed.',
  })
  filter?: TaskFilterInput | null

  @Field(() => TaskOrderInput, {
    nullable: true,
    description: 'The sort order. Defaults to newest first.',
  })
  orderBy?: TaskOrderInput | null
}

/** Returns the columns to sort by. Task IDs start with their time, so sorting by ID sorts by time. */
export function orderOf(input: TaskOrderInput | null | undefined) {
  const direction = input?.direction ?? 'desc'
  return [{ name: 'id', type: 'text', direction }] as const satisfies KeysetOrder
}

/** Returns the range for `listTasks`. Throws `validation_failed` for a cursor that is an offset. */
export function rangeOf({ limit, after, before, fromEnd, offset = 0 }: PageSlice, direction: 'asc' | 'desc') {
  if (offset > 0) refuseParam('after', 'must be a cursor of this list')
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
