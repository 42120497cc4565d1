import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { mayReadKey } from '../../domain/callers/caller.ts'
import { cancelTask } from '../../domain/tasks/cancel-task.ts'
import { countTasks, listTasks } from '../../domain/tasks/list-tasks.ts'
import { findTask, findTasks } from '../../domain/tasks/read-task.ts'
import type { Task as TaskRow } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { Model, modelNamed } from '../models/model-reference.ts'
import { requireCaller } from '../runtime/call.ts'
import { connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { CallbackDelivery, presentDelivery } from './callback-delivery.ts'
import { deliveryOfTask } from './find-deliveries.ts'
import { presentTask, Task } from './task.ts'
import { filterOf, orderOf, rangeOf, TaskArgs } from './task-lists.ts'

const TaskConnection = connection(Task)

@InputType({ description: 'The task to cancel.' })
class CancelTaskInput {
  @Field(() => ID, { description: "The task's ID." })
  id!: string
}

@ObjectType({ description: 'The result of cancelling a task.' })
class CancelTaskPayload {
  @Field(() => Task, { description: 'The task.' })
  task!: Task
}

@Resolver(() => Task)
export class TaskResolver {
  @Query(() => Task, {
    nullable: true,
    description: 'Returns a task of the account. Ordinary API keys see only the tasks that they submitted.',
  })
  async task(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The task's ID." }) id: string,
  ): Promise<Task> {
    return presentTask(await requireTask(context, id))
  }

  @Query(() => TaskConnection, {
    nullable: true,
    description:
      "Lists the account's tasks, newest first. Ordinary API keys see only the tasks that they submitted.",
  })
  async tasks(@Ctx() context: SubgraphContext, @Args(() => TaskArgs) args: TaskArgs) {
    const caller = requireCaller(context)
    const { accountId } = caller
    const { queries } = context
    const filter = filterOf(args.filter, caller)
    const order = orderOf(args.orderBy)
    const slice = sliceOf(args, order)
    const range = rangeOf(slice, order[0].direction)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listTasks(from, { accountId, filter, ...range })),
      positionOf: ({ id }) => [id],
      present: presentTask,
      countAll: () => queries.run(accountId, from => countTasks(from, { accountId, filter, max: maxPaged })),
    })
  }

  @Mutation(() => CancelTaskPayload, {
    nullable: true,
    description:
      'Cancels a task. If it has not been sent to the vendor, it ends at once, and its hold is released. Otherwise the cancellation is sent to the vendor, which can refuse it.',
  })
  async cancelTask(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CancelTaskInput, { description: 'The task to cancel.' }) { id }: CancelTaskInput,
  ): Promise<CancelTaskPayload> {
    const { accountId } = await requireTask(context, id)
    return { task: presentTask(await cancelTask(context, { accountId, id })) }
  }

  @FieldResolver(() => Model, {
    nullable: true,
    description: 'The model. `null` if the caller can no longer see it.',
  })
  async model(@Root() { row }: Task, @Ctx() context: SubgraphContext): Promise<{ id: string } | null> {
    return await modelOfRow(context, row)
  }

  @FieldResolver(() => CallbackDelivery, {
    nullable: true,
    description:
      "The delivery of the task's callback. `null` if the task has no callback URL or has not ended.",
  })
  async callbackDelivery(
    @Root() { row }: Task,
    @Ctx() context: SubgraphContext,
  ): Promise<CallbackDelivery | undefined> {
    if (row.callbackUrl === null || row.finishedAt === null) return undefined
    const delivery = await deliveryOfTask(context, row.id)
    return delivery && presentDelivery(delivery)
  }
}

/** Returns a task that the caller can read. Throws `task_not_found`. */
async function requireTask(context: SubgraphContext, id: string): Promise<TaskRow> {
  const caller = requireCaller(context)
  const task = await findTask(context, { accountId: caller.accountId, id })
  if (task && mayReadKey(caller, task.apiKeyId)) return task
  throw new Problem('task_not_found')
}

const models = new WeakMap<TaskRow, ReturnType<typeof modelNamed>>()

/** Returns the model of a task. All subscribers of a task receive the same row, so its model is read only once. */
function modelOfRow(context: SubgraphContext, row: TaskRow): ReturnType<typeof modelNamed> {
  const known = models.get(row)
  if (known) return known
  const found = modelNamed(context, row.model)
  models.set(row, found)
  found.catch(() => models.delete(row))
  return found
}

const taskById = batched({
  findAll: (context, ids) => {
    const { accountId } = requireCaller(context)
    return findTasks(
      context,
      ids.map(id => ({ accountId, id })),
    )
  },
  idOf: ({ id }) => id,
})

/** Returns the task with this ID, or `undefined` if the account has none or the caller cannot read it. */
export async function findTaskById(context: SubgraphContext, id: string): Promise<Task | undefined> {
  const { caller } = context
  const row = caller && (await taskById(context, id))
  return row && mayReadKey(caller, row.apiKeyId) ? presentTask(row) : undefined
}
