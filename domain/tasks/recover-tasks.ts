import type { Context } from '../context.ts'
import { addAdvanceJob } from './task-steps.ts'

/** Delay after which a task counts as late, in seconds: its job is lost, or postponed by a fault of our own. */
const lateSeconds = 10

/** Maximum number of tasks that one call recovers. */
const maxTasks = 500

/**
 * Adds jobs for tasks whose worker died during a step, and for late tasks unless their job is running or due. Returns
 * the number of tasks.
 */
export async function recoverTasks({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const rows = await sql`
    with dead as (
      select worker from (select distinct worker from tasks where worker is not null) workers where worker_is_dead(worker)
    ), lost as (
      select t.account_id, t.id from tasks t
      where t.finished_at is null and t.worker in (select worker from dead)
      limit ${maxTasks} for no key update of t skip locked
    ), late as (
      select t.account_id, t.id from tasks t
      where t.finished_at is null and t.due_at < clock_timestamp() - ${`${lateSeconds} s`}::interval
        and not exists (
          select from graphile_worker.jobs j
          where j.key = 'task:' || t.id
            and (j.locked_at is not null or j.run_at < clock_timestamp() + interval '5 seconds'))
      order by t.due_at limit ${maxTasks} for no key update of t skip locked
    ), moved as (
      update tasks t set due_at = clock_timestamp(), worker = null
      from (table lost union all table late) found
      where t.account_id = found.account_id and t.id = found.id
      returning t.account_id, t.id, t.due_at
    )
    select ${addAdvanceJob(sql)} from moved`
  return rows.length
}
