import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { counted } from '../counted.ts'
import { type Finding, findingsOf, type Result } from './check.ts'

/** Checks that edges and workers are alive, and that no chore is overdue. */
export async function checkProcesses(sql: Sql): Promise<Result> {
  const [alive] = await sql<{ edges: number; workers: number }[]>`
    select
      (select count(*)::int from processes
        where kind = 'edge' and heartbeat_at > clock_timestamp() - interval '15 seconds') as edges,
      (select count(*)::int from workers
        where not is_dead and heartbeat_at > clock_timestamp() - interval '15 seconds'
          and id like 'worker-%') as workers`
  const { edges, workers } = alive!
  const chores = await sql<{ name: string }[]>`
    select name from chores where due_at < clock_timestamp() - interval '5 minutes' order by due_at`
  const findings = findingsOf([
    [edges === 0, 'no edge is running', 'Start the edges, and read their logs if they end.'],
    [
      workers === 0,
      'no worker is running: tasks, callbacks and e-mails wait, and holds of dead processes do not lapse',
      'Start the workers, and read their logs if they end.',
    ],
    [
      workers > 0 && chores.length > 0,
      `${counted(chores.length, 'chore')} due for more than 5 minutes, first ${chores[0]?.name}`,
      "Read the workers' logs for its failures.",
    ],
  ])
  return { findings, summary: `${counted(edges, 'edge')}, ${counted(workers, 'worker')}` }
}

/** Jobs of one kind in one state. */
interface JobCount {
  name: string
  state: 'failed' | 'late' | 'long'
  jobs: number
  minutes: number
}

/** Checks that no job has failed for good, waits although it is due, or runs for very long. */
export async function checkJobs(sql: Sql): Promise<Result> {
  const counts = await sql<JobCount[]>`
    select task_identifier as name, state, count(*)::int as jobs,
      (extract(epoch from max(clock_timestamp() - since)) / 60)::int as minutes
    from graphile_worker.jobs
    cross join lateral (
      select case
        when locked_at is null and attempts >= max_attempts then 'failed'
        when locked_at is null and run_at < clock_timestamp() - interval '1 minute' then 'late'
        when locked_at < clock_timestamp() - interval '15 minutes' then 'long'
      end as state, coalesce(locked_at, run_at) as since) examined
    where state is not null
    group by 1, 2 order by 2, 1`
  const [waiting] = await sql<{ jobs: number }[]>`select count(*)::int as jobs from graphile_worker.jobs`
  return { findings: counts.map(findingOf), summary: `${counted(waiting!.jobs, 'job')} waiting or running` }
}

function findingOf({ name, state, jobs, minutes }: JobCount): Finding {
  const subject = `${counted(jobs, 'job')} ${name}`
  if (state === 'failed')
    return {
      fault: `${subject} failed for good`,
      remedy: `Read last_error in graphile_worker._private_jobs. Remove the cause, then run: select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where task_identifier = '${name}' and attempts >= max_attempts), run_at => now(), attempts => 0).`,
    }
  if (state === 'late')
    return {
      fault: `${subject} due for up to ${minutes} minutes`,
      remedy: 'Start a worker. If workers are running, add more.',
    }
  return {
    fault: `${subject} running for up to ${minutes} minutes`,
    remedy: "Read the worker's log. If the worker hangs, restart it: another one repeats its jobs.",
  }
}
