import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { withTimeout } from '../clock.ts'

/** A job for a worker (`worker/jobs`). */
export interface NewJob {
  /** The name of a job in `worker/jobs/jobs.ts`. */
  name: string
  /** Plain JSON. It is stored unencrypted and shown to operators, so it contains IDs and never secrets. */
  payload: object
  /** The earliest time at which it runs. Immediately by default. */
  runAt?: Date
  /** Delay before the job is due, by the clock of Postgres, in milliseconds. */
  afterMs?: number
  /** At most one waiting job has this key. Adding a job with the same key replaces the waiting one. */
  key?: string
  /** `keep` changes nothing if a job with this key waits or runs. The default is `replace`. */
  keyMode?: 'replace' | 'keep'
  /** Maximum number of attempts; 25 by default. A job that throws is retried with growing delays. */
  maxAttempts?: number
  /** The jobs of one queue run one after the other. Use few queues, because each slows the search for jobs. */
  queueName?: string
}

/**
 * Adds a job with `sql`. Inside a transaction, the job commits with it. Workers are notified at once. SQL functions
 * call `graphile_worker.add_job` directly.
 */
export async function addJob(sql: postgres.ISql<{ bigint: bigint }>, job: NewJob): Promise<void> {
  const mode = job.keyMode === 'keep' ? 'unsafe_dedupe' : 'replace'
  await sql`
    select graphile_worker.add_job(${job.name}, payload := ${JSON.stringify(job.payload)}::text::json,
      queue_name := ${job.queueName ?? null},
      run_at := coalesce(${job.runAt ?? null}::timestamptz, now() + ${`${Math.round(job.afterMs ?? 0)} ms`}::interval),
      max_attempts := ${job.maxAttempts ?? null}, job_key := ${job.key ?? null}, job_key_mode := ${mode})`
}

/** Delay before a failed attempt is retried, in milliseconds, and maximum number of attempts. */
const againMs = 500
const maxTries = 20

/** Maximum wait for Postgres, in milliseconds. The driver may wait for ever on a connection that was lost silently. */
const answerTimeoutMs = 5_000

/**
 * Does the same within a job that must succeed soon, because the delays of a failed job grow to hours. Retries while
 * Postgres is unavailable; rejects after several attempts.
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
