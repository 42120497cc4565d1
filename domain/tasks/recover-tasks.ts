import type { Context } from '../context.ts'
import { addAdvanceJob } from './advance-task.ts'

/** A task that is so late has lost its job, or its job waits long after a fault of ours. */
const lateSeconds = 10

/** So many at once. */
const most = 500

/** Has tasks advanced that are late, unless their job runs or is about to. Resolves to how many. */
export async function recoverTasks({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const rows = await sql`
    with late as (
      select t.account_id, t.id from tasks t
      where t.finished_at is null and t.due_at < clock_timestamp() - ${`${lateSeconds} s`}::interval
        and not exists (
          select from graphile_worker.jobs j
          where j.key = 'task:' || t.id
            and (j.locked_at is not null or j.run_at < clock_timestamp() + interval '5 seconds'))
      order by t.due_at limit ${most} for no key update of t skip locked
    ), moved as (
      update tasks t set due_at = clock_timestamp() from late
      where t.account_id = late.account_id and t.id = late.id
      returning t.account_id, t.id, t.due_at
    )
    select ${addAdvanceJob(sql)} from moved`
  return rows.length
}
