import type { Context } from '../domain/context.ts'
import { type Clock, withTimeout } from '../platform/clock.ts'
import type { Read } from '../platform/metrics/open-metrics.ts'
import type { Declared } from '../platform/metrics/snapshot.ts'

/** Maximum age of the counts, in milliseconds. Every scrape of a worker would count the rows otherwise. */
const maxAgeMs = 5_000

/** Maximum time in which Postgres counts, in milliseconds. After it, the scrape has no counts. */
const timeoutMs = 2_000

/**
 * Declares the metrics of the work that is stored in Postgres: jobs, tasks, callbacks, and requests to carry. Every worker
 * reports the same values.
 */
export function observeQueues({ sql, metrics, clock }: Pick<Context, 'sql' | 'metrics' | 'clock'>): void {
  const gauge = (declared: Declared, read: Read) =>
    metrics.read({ ...declared, type: 'gauge', aggregation: 'max' }, read)
  const jobs = remembered(clock, () => readJobs(sql))
  gauge(
    {
      name: 'rubicon_jobs',
      help: 'Jobs by kind and state: due, running, later, failed for good. All workers report the same.',
      labels: ['kind', 'state'],
    },
    async report => {
      for (const { kind, due, running, later, failed } of (await jobs()) ?? [])
        for (const [state, count] of Object.entries({ due, running, later, failed }))
          report(count, kind, state)
    },
  )
  gauge(
    {
      name: 'rubicon_oldest_job_seconds',
      help: 'Time since which the oldest due job of a kind waits.',
      labels: ['kind'],
    },
    async report => {
      for (const { kind, oldestSeconds } of (await jobs()) ?? []) report(oldestSeconds, kind)
    },
  )
  const tasks = remembered(clock, () => readTasks(sql))
  gauge(
    {
      name: 'rubicon_open_tasks',
      help: 'Tasks that have not ended, by status.',
      labels: ['status'],
    },
    async report => {
      for (const { status, count } of (await tasks()) ?? []) report(count, status)
    },
  )
  const callbacks = remembered(clock, () => readCallbacks(sql))
  gauge(
    {
      name: 'rubicon_callbacks_pending',
      help: 'Callbacks that have not ended: due, or waiting for their next try (later).',
      labels: ['state'],
    },
    async report => {
      const counts = await callbacks()
      if (!counts) return
      report(counts.due, 'due')
      report(counts.later, 'later')
    },
  )
  gauge(
    {
      name: 'rubicon_oldest_callback_seconds',
      help: 'Time since which the oldest due callback waits.',
    },
    async report => {
      const counts = await callbacks()
      if (counts) report(counts.oldestSeconds)
    },
  )
  const oldestNote = remembered(clock, () => readOldestNote(sql))
  gauge(
    {
      name: 'rubicon_oldest_uncarried_request_seconds',
      help: 'Time since which the oldest request waits to be carried to the log database. 0 without a log database.',
    },
    async report => {
      const seconds = await oldestNote()
      if (seconds !== undefined) report(seconds)
    },
  )
}

/** Returns a function that reads at most once per `maxAgeMs`. It resolves to undefined if Postgres does not answer in time. */
function remembered<Value>(clock: Clock, read: () => Promise<Value>): () => Promise<Value | undefined> {
  let reading: Promise<Value | undefined> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (reading && clock.monotonic() - readAt < maxAgeMs) return reading
    readAt = clock.monotonic()
    reading = withTimeout(timeoutMs, read()).catch(() => undefined)
    return reading
  }
}

type Sql = Context['sql']

/** The jobs of one kind. */
interface JobCounts {
  kind: string
  due: number
  running: number
  later: number
  failed: number
  oldestSeconds: number
}

function readJobs(sql: Sql): Promise<JobCounts[]> {
  return sql<JobCounts[]>`
    select t.identifier as kind,
      count(*) filter (where j.locked_at is null and j.attempts < j.max_attempts and j.run_at <= now())::float as due,
      count(*) filter (where j.locked_at is not null)::float as running,
      count(*) filter (where j.locked_at is null and j.attempts < j.max_attempts and j.run_at > now())::float as later,
      count(*) filter (where j.locked_at is null and j.attempts >= j.max_attempts)::float as failed,
      coalesce(extract(epoch from now() - min(j.run_at) filter (
        where j.locked_at is null and j.attempts < j.max_attempts and j.run_at <= now())), 0)::float as "oldestSeconds"
    from graphile_worker._private_tasks t left join graphile_worker._private_jobs j on j.task_id = t.id
    group by t.identifier`
}

function readTasks(sql: Sql): Promise<{ status: string; count: number }[]> {
  return sql<{ status: string; count: number }[]>`
    select s.status, count(t.id)::float as count
    from unnest(array['queued', 'submitting', 'running', 'storing']) s (status)
    left join tasks t on t.status = s.status and t.finished_at is null
    group by s.status`
}

async function readCallbacks(sql: Sql): Promise<{ due: number; later: number; oldestSeconds: number }> {
  const [row] = await sql<{ due: number; later: number; oldestSeconds: number }[]>`
    select count(*) filter (where due_at <= now())::float as due,
      count(*) filter (where due_at > now())::float as later,
      coalesce(extract(epoch from now() - min(due_at) filter (where due_at <= now())), 0)::float as "oldestSeconds"
    from deliveries where state = 'pending'`
  return row ?? { due: 0, later: 0, oldestSeconds: 0 }
}

async function readOldestNote(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select extract(epoch from clock_timestamp() - noted_at)::float as seconds from changed_requests order by number limit 1`
  return row?.seconds ?? 0
}
