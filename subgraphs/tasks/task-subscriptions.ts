import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql'
import { mayReadKey } from '../../domain/callers/caller.ts'
import type { TaskFilter } from '../../domain/tasks/list-tasks.ts'
import type { Task as TaskRow } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentTask, Task } from './task.ts'
import { filterOf, TaskFilterInput } from './task-lists.ts'

/** The arguments and context of a subscription. */
interface Subscribing<Args> {
  args: Args
  context: SubgraphContext
}

/** Subscriptions to tasks (docs/behaviour.md, Watching tasks). */
@Resolver(() => Task)
export class TaskSubscriptions {
  @Subscription(() => Task, {
    subscribe: watchTask,
    description:
      "Sends a task's current state, then its state after each change. The stream ends when the task has ended.",
  })
  taskUpdated(
    @Root() row: TaskRow,
    @Arg('id', () => ID, { description: "The task's ID." }) _id: string,
  ): Task {
    return presentTask(row)
  }

  @Subscription(() => Task, {
    subscribe: watchTasks,
    description:
      "Sends the account's tasks that have not ended, then each task that changes, including new ones. The stream does not end. Ordinary API keys see only the tasks that they submitted.",
  })
  tasksUpdated(
    @Root() row: TaskRow,
    @Arg('filter', () => TaskFilterInput, {
      nullable: true,
      description: 'The filter. Without it, all tasks are sent.',
    })
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
