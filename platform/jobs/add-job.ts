import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { withTimeout } from '../clock.ts'

/** A job to be done by a worker (`worker/jobs`). */
export interface NewJob {
  /** Names one of the jobs in `worker/jobs/jobs.ts`. */
  name: string
  /** Plain JSON. It is kept as it is and shown to operators: ids, never secrets. */
  payload: object
  /** Not before then; at once by default. */
  runAt?: Date
  /** Not before so much later, by the clock of Postgres. */
  afterMs?: number
  /** At most one job that waits has this key: adding it again replaces the one that waits. */
  key?: string
  /** `keep` changes nothing where a job with this key waits or runs; `replace` is the default. */
  keyMode?: 'replace' | 'keep'
  /** A job that throws is tried again, later each time, this often in all; 25 by default. */
  maxAttempts?: number
  /** Jobs of one queue run one after the other. Few queues only: each slows the search for work. */
  queueName?: string
}

/**
 * Adds a job with `sql`, also inside a transaction: it commits with the rest. Workers hear of it at once. SQL functions
 * call `graphile_worker.add_job` by themselves.
 */
export async function addJob(sql: postgres.ISql<{ bigint: bigint }>, job: NewJob): Promise<void> {
  const mode = job.keyMode === 'keep' ? 'unsafe_dedupe' : 'replace'
  await sql`
    select graphile_worker.add_job(${job.name}, payload := ${JSON.stringify(job.payload)}::text::json,
      queue_name := ${job.queueName ?? null},
      run_at := coalesce(${job.runAt ?? null}::timestamptz, now() + ${`${Math.round(job.afterMs ?? 0)} ms`}::interval),
      max_attempts := ${job.maxAttempts ?? null}, job_key := ${job.key ?? null}, job_key_mode := ${mode})`
}

/** Postgres that is away for a moment is asked again after so long, in milliseconds, and so often. */
const againMs = 500
const maxTries = 20

/** It has so long to answer: a driver may wait for ever on a connection that was lost without a word. */
const answerTimeoutMs = 5_000

/**
 * The same from within a job that must go on: one that threw would be tried again later each time, after hours at last.
 * Rejects where Postgres is away for longer.
 */
export async function addJobWithRetry(sql: postgres.ISql<{ bigint: bigint }>, job: NewJob): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await withTimeout(answerTimeoutMs, addJob(sql, job))
    } catch (error) {
      if (tries === maxTries) throw error
      await sleep(againMs)
    }
  }
}
