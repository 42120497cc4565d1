import { setTimeout as sleep } from 'node:timers/promises'
import { cancelTask as cancel } from '../../domain/tasks/cancel-task.ts'
import { listTasks } from '../../domain/tasks/list-tasks.ts'
import { presentTask } from '../../domain/tasks/present-task.ts'
import { findTask } from '../../domain/tasks/read-task.ts'
import { hasEnded, openStatuses, type Task, type TaskName, type TaskStatus } from '../../domain/tasks/task.ts'
import type { Patience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import { defaultListed, maxListed } from '../../schema/operations/list-parameters.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { admitReader, withinPatience } from '../pipeline/admit-reader.ts'
import { whileWaiting } from '../server/shed-load.ts'

/**
 * `GET …/{id}` on each of the task paths, whichever path it was submitted on: returns a task of the account. Throws
 * `task_not_found`, also for a task of another account.
 */
export async function pollTask(edge: Edge, ctx: EdgeContext): Promise<void> {
  const { accountId } = await admitReader(edge, ctx)
  ctx.body = presentTask(await requireTask(edge, { accountId, id: idIn(ctx.path) }, ctx.state.patience))
}

/** `GET /v1/videos/generations`: the account's video tasks, newest first, in the shape of OpenAI's lists. */
export function listVideoTasks(edge: Edge, ctx: EdgeContext): Promise<void> {
  return listVideos(edge, ctx, async tasks => tasks.map(presentTask))
}

/** Responds with a list of the account's video tasks. The query has `limit`, `after`, `order` and `status`. */
export async function listVideos(
  edge: Edge,
  ctx: EdgeContext,
  present: (tasks: Task[]) => Promise<{ id: string }[]>,
): Promise<void> {
  const { accountId } = await admitReader(edge, ctx)
  const limit = readLimit(ctx)
  const after = readOne(ctx, 'after')
  const statuses = readStatuses(ctx)
  const oldestFirst = readOrder(ctx) === 'asc'
  const listing = edge.inference.context.queries.run(accountId, from =>
    listTasks(from, {
      accountId,
      filter: { kinds: ['video'], statuses },
      limit: limit + 1,
      after: after === undefined ? undefined : { id: after },
      oldestFirst,
    }),
  )
  // The queries of an account take turns: a query may wait longer for its turn than for Postgres.
  const found = await withinPatience(edge, listing, { leftMs: listTimeoutMs })
  const data = await present(found.slice(0, limit))
  ctx.body = {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  }
}

/** Maximum time that a DELETE waits for the vendor's response, and its polling interval, in milliseconds. */
const patienceMs = 10_000
const pollIntervalMs = 150

/**
 * `DELETE …/{id}`: cancels a pending task if its vendor can. Responds with the task when the outcome is known, or with 202
 * and the pending task after ten seconds. Throws `task_not_found`, `task_not_cancellable`.
 */
export async function cancelTask(edge: Edge, ctx: EdgeContext): Promise<void> {
  const { accountId } = await admitReader(edge, ctx)
  const name = { accountId, id: idIn(ctx.path) }
  const task = await whileWaiting(edge.load, untilCancelled(edge, ctx, name))
  ctx.status = hasEnded(task) ? 200 : 202
  ctx.body = presentTask(task)
}

/** Cancels a task. Resolves when the outcome is known, or after ten seconds. */
export async function untilCancelled(edge: Edge, ctx: EdgeContext, name: TaskName): Promise<Task> {
  const { context } = edge.inference
  const until = context.clock.monotonic() + patienceMs
  let task = await withinPatience(edge, cancel(context, name), ctx.state.patience)
  while (
    !hasEnded(task) &&
    !task.cancelRefusedAt &&
    context.clock.monotonic() < until &&
    !ctx.res.destroyed
  ) {
    await sleep(pollIntervalMs)
    task = await requireTask(edge, name)
  }
  if (task.cancelRefusedAt || (hasEnded(task) && task.status !== 'cancelled'))
    throw new Problem('task_not_cancellable')
  return task
}

/** Finds a task. Throws `task_not_found`, and `unavailable` if Postgres does not answer. */
export async function requireTask(edge: Edge, name: TaskName, patience?: Patience): Promise<Task> {
  const task = await withinPatience(edge, findTask(edge.inference.context, name), patience)
  if (!task) throw new Problem('task_not_found')
  return task
}

/** Longest wait for a list, in milliseconds. */
const listTimeoutMs = 5_000

/** Returns the task ID of a path. Throws `task_not_found` for text that cannot be an ID, without a query. */
export function idIn(path: string): string {
  const id = path.replace(/\/$/, '').slice(path.replace(/\/$/, '').lastIndexOf('/') + 1)
  if (/^[A-Za-z0-9_]{1,64}$/.test(id)) return id
  throw new Problem('task_not_found')
}

function readLimit(ctx: EdgeContext): number {
  const text = readOne(ctx, 'limit')
  if (text === undefined) return defaultListed
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxListed) return limit
  throw invalidParam('limit', `must be a whole number from 1 to ${maxListed}`)
}

const statusesOf: Record<string, readonly TaskStatus[]> = {
  pending: openStatuses,
  success: ['success'],
  failed: ['failed', 'cancelled'],
}

function readStatuses(ctx: EdgeContext): readonly TaskStatus[] | undefined {
  const status = readOne(ctx, 'status')
  if (status === undefined) return undefined
  if (Object.hasOwn(statusesOf, status)) return statusesOf[status]
  throw invalidParam('status', `must be one of ${Object.keys(statusesOf).join(', ')}`)
}

function readOrder(ctx: EdgeContext): string {
  const order = readOne(ctx, 'order') ?? 'desc'
  if (order === 'asc' || order === 'desc') return order
  throw invalidParam('order', 'must be one of asc, desc')
}

function readOne({ query }: EdgeContext, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || value === '') return undefined
  if (typeof value === 'string' && value.length <= 100 && !value.includes('\0')) return value
  throw invalidParam(name, 'must be given once')
}
