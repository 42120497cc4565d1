import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql'
import type { TaskFilter } from '../../domain/tasks/list-tasks.ts'
import type { Task as TaskRow } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import { mayReadKey } from '../runtime/key-scope.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentTask, Task } from './task.ts'
import { filterOf, TaskFilterInput } from './task-lists.ts'

/** What a source of events is called with. */
interface Subscribing<Args> {
  args: Args
  context: SubgraphContext
}

/** Tasks as they change (docs/behaviour.md, Watching tasks). */
@Resolver(() => Task)
export class TaskSubscriptions {
  @Subscription(() => Task, {
    subscribe: watchTask,
    description: 'A task as it is now, then each time that it changes; ends when it has ended.',
  })
  taskUpdated(@Root() row: TaskRow, @Arg('id', () => ID, { description: 'Which task.' }) _id: string): Task {
    return presentTask(row)
  }

  @Subscription(() => Task, {
    subscribe: watchTasks,
    description:
      'The tasks of the account that have not ended, then each task that changes, new ones too, without end. An ordinary key sees its own.',
  })
  tasksUpdated(
    @Root() row: TaskRow,
    @Arg('filter', () => TaskFilterInput, { nullable: true, description: 'Which tasks; all unless given.' })
    _filter?: TaskFilterInput | null,
  ): Task {
    return presentTask(row)
  }
}

async function watchTask({ args, context }: Subscribing<{ id: string }>): Promise<AsyncIterable<TaskRow>> {
  const caller = requireCaller(context)
  const watched = await context.taskWatch.task({ accountId: caller.accountId, id: args.id })
  if (watched && mayReadKey(caller, watched.now.apiKeyId)) return watched.states
  await watched?.states.return()
  throw new Problem('task_not_found')
}

function watchTasks({
  args,
  context,
}: Subscribing<{ filter?: TaskFilterInput | null }>): AsyncIterable<TaskRow> {
  const caller = requireCaller(context)
  const filter = filterOf(args.filter, caller)
  return context.taskWatch.account(caller.accountId, task => matches(task, filter))
}

function matches(task: TaskRow, { kinds, statuses, models, keyIds, since, until }: TaskFilter): boolean {
  return (
    kinds?.includes(task.kind) !== false &&
    statuses?.includes(task.status) !== false &&
    models?.includes(task.model) !== false &&
    keyIds?.includes(task.apiKeyId) !== false &&
    (!since || task.createdAt >= since) &&
    (!until || task.createdAt < until)
  )
}
