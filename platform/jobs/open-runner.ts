import { EventEmitter } from 'node:events'
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import { withTimeout } from '../clock.ts'
import type { Log } from '../log.ts'
import { serverKeepAliveOptions } from '../postgres/keep-alive.ts'
import { explainFault } from '../process/explain-fault.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Job } from './job.ts'
import type { Liveness } from './open-liveness.ts'
import { RunnerPool } from './runner-pool.ts'

/** Interval at which due jobs are fetched, in milliseconds. Postgres notifies of new jobs at once. */
const pollEveryMs = 250

/** Time after which fetched jobs are returned if no slot became free, in milliseconds. */
const fetchedForMs = 2_000

/** Maximum number of connections of a runner: one listens, the others fetch and complete jobs. */
const maxConnections = 6

/** Maximum wait of a runner for Postgres, in milliseconds. A connection may be lost silently. */
const answerTimeoutMs = 10_000

/**
 * Maximum time in which a runner with free slots fetches jobs, in milliseconds. After it, the runner counts as broken.
 */
const fetchTimeoutMs = 3 * answerTimeoutMs

/** Maximum time that a runner takes to end after its jobs, in milliseconds. */
const endingMs = 3_000

export interface RunnerOptions<Services> {
  url: string
  /** The name of the process, for `application_name`. */
  name: string
  log: Log
  tracing?: Tracing | undefined
  services: Services
  /** The liveness of the process, which owns the jobs that the runner fetches. */
  liveness: Liveness
  jobs: readonly Job<Services>[]
  /** Maximum number of jobs that run at the same time. */
  atOnce: number
  /** Maximum time in which running jobs end after `end` is called, in milliseconds. Then their `signal` is aborted. */
  graceMs: number
}

/** A runner of jobs. It wraps one instance of the engine. */
export interface JobRunner {
  /**
   * Resolves if the runner stops fetching jobs although `end` was not called. The engine stops when a connection breaks
   * while it records a job's outcome, and may never report that it has ended.
   */
  broken: Promise<void>
  /**
   * Waits for running jobs and returns waiting ones to the queue, for a limited time. The remaining jobs then count as
   * jobs of a dead worker, and another worker starts them again.
   */
  end(): Promise<void>
}

/** Starts a runner. Rejects if Postgres does not answer. */
export async function openRunner<Services>(options: RunnerOptions<Services>): Promise<JobRunner> {
  const { log, jobs, graceMs, liveness } = options
  const events: WorkerEvents = new EventEmitter()
  const broken = Promise.withResolvers<void>()
  let owner: string | undefined
  let isBroken = false
  const breakOff = () => {
    isBroken = true
    broken.resolve()
  }
  events.once('pool:create', ({ workerPool }) => {
    owner = workerPool.id
    liveness.add(owner, breakOff)
  })
  events.once('pool:gracefulShutdown', breakOff)
  const slots = watchFreeSlots(events, { atOnce: options.atOnce, onStuck: breakOff })
  const pool = openPool(options)
  const close = () => {
    slots.close()
    if (owner) liveness.remove(owner)
    pool.end().catch(() => {})
  }
  try {
    const runner = await startEngine(options, { pool, taskList: listTasks(jobs, options, slots), events })
    const ended = runner.promise.catch(() => {})
    return {
      broken: broken.promise,
      async end() {
        const ending = isBroken ? ended : runner.stop().then(() => ended)
        await withTimeout(graceMs + endingMs, ending).catch(() => {
          log.warn('a runner of jobs did not end; another worker repeats its jobs')
          runner.stop().catch(() => {}) // it releases its connections
        })
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Opens the connections of a runner. The engine would open them itself, but it removes its error listeners before its
 * connections have ended. An error of Postgres in between would end the process.
 */
function openPool<Services>({ url, name, log, atOnce }: RunnerOptions<Services>): Pool {
  const pool = new RunnerPool({
    connectionString: addressOf(url, `${name}-runner`),
    max: Math.min(maxConnections, atOnce + 1),
  })
  const note = (error: Error) => log.debug({ error: explainFault(error) }, 'the runner lost a connection')
  pool.on('error', note)
  pool.on('connect', client => client.on('error', note))
  return pool
}

function startEngine<Services>(
  { log, atOnce, graceMs }: RunnerOptions<Services>,
  { pool, taskList, events }: { pool: Pool; taskList: TaskList; events: WorkerEvents },
): Promise<Runner> {
  return run({
    pgPool: pool,
    preset: {
      worker: {
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
    taskList,
  })
}

/** Counts the running jobs, and checks that more are fetched while slots are free. */
interface JobSlots {
  occupy(): void
  release(): void
  close(): void
}

/** Calls `onStuck` if slots were free for `fetchTimeoutMs` and nothing was fetched. */
function watchFreeSlots(
  events: WorkerEvents,
  { atOnce, onStuck }: { atOnce: number; onStuck: () => void },
): JobSlots {
  let running = 0
  const stuck = setTimeout(() => running < atOnce && onStuck(), fetchTimeoutMs).unref()
  events.on('localQueue:getJobs:complete', () => stuck.refresh())
  return {
    occupy: () => void running++,
    release() {
      if (running-- === atOnce) stuck.refresh()
    },
    close: () => clearTimeout(stuck),
  }
}

function listTasks<Services>(
  jobs: readonly Job<Services>[],
  { services, log, tracing }: RunnerOptions<Services>,
  slots: JobSlots,
): TaskList {
  const tasks: TaskList = {}
  for (const job of jobs) {
    tasks[job.name] = async (payload, { job: { attempts: attempt }, abortSignal: signal }) => {
      slots.occupy()
      const span = tracing?.start(`job ${job.name}`, {
        attributes: { 'rubicon.attempt': attempt, ...idOf(payload) },
      })
      let error: string | undefined
      try {
        await job.run(services, payload, { attempt, signal })
      } catch (fault) {
        error = 'failed'
        log.error({ job: job.name, attempt, error: explainFault(fault) }, 'job failed')
        throw fault
      } finally {
        span?.end({ error })
        slots.release()
      }
    }
  }
  return tasks
}

/** Returns the attribute with the ID of the task that a job is about, which contains the ID of its request. */
function idOf(payload: unknown) {
  const isAboutOne = typeof payload === 'object' && payload !== null && 'id' in payload
  return isAboutOne && typeof payload.id === 'string' ? { 'rubicon.id': payload.id } : {}
}

/** Logs messages of the runner. `listTasks` logs failed jobs, without their payloads. */
function openJobLog(log: Log): Logger {
  return new Logger(() => (level, message, meta) => {
    if (meta?.failure) return
    if (level === 'error') log.warn(message)
    else log.debug(message)
  })
}

function addressOf(url: string, name: string): string {
  const address = new URL(url)
  if (!address.searchParams.has('application_name')) address.searchParams.set('application_name', name)
  if (!address.searchParams.has('options')) address.searchParams.set('options', serverKeepAliveOptions)
  address.searchParams.set('query_timeout', String(answerTimeoutMs))
  return address.toString()
}
