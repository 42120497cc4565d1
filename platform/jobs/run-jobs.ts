import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type { Log } from '../log.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { explainFault } from '../process/explain-fault.ts'
import type { Job, RepeatingJob } from './job.ts'
import { addRepeatingJobs, repeating } from './repeat-jobs.ts'
import { watchOwners } from './watch-owners.ts'

/** How often due jobs are looked for, in milliseconds; of new ones Postgres tells at once. */
const pollEveryMs = 250

/** Jobs that were fetched and found nobody free go back after so long, in milliseconds. */
const fetchedForMs = 2_000

/** Connections that a runner takes for itself at most: one listens, the others fetch and complete jobs. */
const mostConnections = 6

/** A runner that could not start or ended is started anew after so long, in milliseconds. */
const restartMs = 1_000

interface JobOptions<Services> {
  url: string
  /** Of the process, for `application_name`. */
  name: string
  log: Log
  services: Services
  jobs: readonly Job<Services>[]
  repeatingJobs: readonly RepeatingJob<Services>[]
  /** How many are run at the same time. */
  atOnce: number
  /** How long those that run may take to end once it is closed, in milliseconds; then their `signal` is aborted. */
  graceMs: number
}

/** Jobs that are being run by this process. */
export interface RunningJobs {
  /** Takes no more jobs, waits for those that run, and gives back those that only wait. */
  close(): Promise<void>
}

/**
 * Runs the jobs in Postgres, many at once, until closed. It starts by itself when Postgres answers, and again after
 * Postgres was away. Any number of processes may do so: a job is run by one of them, and what a killed process had begun
 * is begun anew by another within five seconds (`watch-owners.ts`).
 */
export function runJobs<Services>(options: JobOptions<Services>): RunningJobs {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = (async () => {
    while (!signal.aborted) {
      await runUntil(signal, options).catch(error =>
        options.log.warn({ error: explainFault(error) }, 'jobs are not run: trying again'),
      )
      await sleep(restartMs, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    async close() {
      stopping.abort()
      await running
    },
  }
}

/** Resolves when `signal` was aborted and what ran has ended. Rejects when the runner cannot start, or ends by itself. */
async function runUntil<Services>(signal: AbortSignal, options: JobOptions<Services>): Promise<void> {
  const { url, name, log, repeatingJobs } = options
  const sql = openPostgres({ url, name: `${name}-jobs`, maxConnections: 2 })
  let owners: { close(): Promise<void> } | undefined
  const events: WorkerEvents = new EventEmitter()
  events.once('pool:create', ({ workerPool }) => {
    owners = watchOwners({ url, name, log, owner: workerPool.id })
  })
  try {
    await addRepeatingJobs(
      sql,
      repeatingJobs.map(job => job.name),
    )
    const jobs = [...options.jobs, ...repeatingJobs.map(job => repeating<Services>({ sql, log }, job))]
    await untilEnded(await startRunner(options, { jobs, events }), signal)
  } finally {
    await owners?.close()
    await sql.end({ timeout: 5 })
  }
}

function startRunner<Services>(
  options: JobOptions<Services>,
  { jobs, events }: { jobs: readonly Job<Services>[]; events: WorkerEvents },
): Promise<Runner> {
  const { url, name, log, atOnce, graceMs } = options
  return run({
    preset: {
      worker: {
        connectionString: nameConnection(url, `${name}-runner`),
        maxPoolSize: Math.min(mostConnections, atOnce + 1),
        pollInterval: pollEveryMs,
        concurrentJobs: atOnce,
        localQueue: { size: atOnce, ttl: fetchedForMs },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        gracefulShutdownAbortTimeout: graceMs,
      },
    },
    logger: openJobLog(log),
    events,
    noHandleSignals: true,
    taskList: listTasks(jobs, options),
  })
}

async function untilEnded(runner: Runner, signal: AbortSignal): Promise<void> {
  let stop: Promise<void> | undefined
  const onAbort = () => {
    stop = runner.stop()
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    await runner.promise
    await stop
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  if (!signal.aborted) throw new Error('the runner of jobs ended')
}

function listTasks<Services>(
  jobs: readonly Job<Services>[],
  { services, log }: JobOptions<Services>,
): TaskList {
  const tasks: TaskList = {}
  for (const job of jobs) {
    tasks[job.name] = async (
      payload,
      { job: { attempts: attempt, locked_by: owner }, abortSignal: signal },
    ) => {
      try {
        await job.run(services, payload, { attempt, owner: owner ?? '', signal })
      } catch (error) {
        log.error({ job: job.name, attempt, error: explainFault(error) }, 'job failed')
        throw error
      }
    }
  }
  return tasks
}

/** What the runner itself has to say; of failed jobs `listTasks` tells, without what they carry. */
function openJobLog(log: Log): Logger {
  return new Logger(() => (level, message, meta) => {
    if (meta?.failure) return
    if (level === 'error') log.warn(message)
    else log.debug(message)
  })
}

function nameConnection(url: string, name: string): string {
  const named = new URL(url)
  if (!named.searchParams.has('application_name')) named.searchParams.set('application_name', name)
  return named.toString()
}
