import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { finishTask } from './finish-task.ts'
import { publishTaskUpdate } from './publish-task-update.ts'
import { findTask } from './read-task.ts'
import { hasEnded, type Task, type TaskName } from './task.ts'

/** The end of a cancelled task. */
export const cancelledEnd = {
  status: 'cancelled',
  code: 'cancelled',
  message: 'The task was cancelled. Nothing was charged.',
} as const

/**
 * Cancels a task: at once if it was not sent to its vendor. Otherwise the worker asks the vendor, and the task shows
 * the outcome later. Resolves to the current task. Throws `task_not_found`, and `task_not_cancellable` if the task
 * has ended or the vendor has already refused.
 */
export async function cancelTask(context: Context, name: TaskName): Promise<Task> {
  await finishTask(context, name, { from: ['queued'], end: cancelledEnd })
  const task = await requireTask(context, name)
  if (task.status === 'cancelled') return task
  if (hasEnded(task) || task.cancelRefusedAt) throw new Problem('task_not_cancellable')
  await requestCancel(context, name)
  return requireTask(context, name)
}

async function requireTask(context: Context, name: TaskName): Promise<Task> {
  const task = await findTask(context, name)
  if (!task) throw new Problem('task_not_found')
  return task
}

/** Marks the task and reschedules its waiting step to now. */
async function requestCancel(context: Context, { accountId, id }: TaskName): Promise<void> {
  const { sql } = context
  const rows = await sql`
    with marked as (
      update tasks set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
      where account_id = ${accountId} and id = ${id} and finished_at is null
      returning id
    )
    select graphile_worker.reschedule_jobs(array(
      select j.id from graphile_worker.jobs j
      where j.key = 'task:' || ${id} and j.locked_at is null and j.run_at > clock_timestamp()
    ), run_at := clock_timestamp()) from marked`
  if (rows.length > 0) publishTaskUpdate(context, { accountId, id })
}
