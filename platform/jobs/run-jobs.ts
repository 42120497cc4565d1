import { setTimeout as sleep } from 'node:timers/promises'
import { explainFault } from '../process/explain-fault.ts'
import { openRunner, type RunnerOptions } from './open-runner.ts'

/** Delay before a runner that failed is replaced, in milliseconds. */
const restartMs = 1_000

/** The running jobs of this process. */
export interface RunningJobs {
  /** Stops fetching jobs, waits for running ones and returns waiting ones to the queue. */
  close(): Promise<void>
}

/**
 * Runs the jobs in Postgres concurrently, until closed. It starts as soon as Postgres answers, and recovers from
 * outages of Postgres. Any number of processes can run jobs. Each job is run by one of them. If that process is killed,
 * another one repeats the job within about five seconds (`open-liveness.ts`).
 */
export function runJobs<Services>(options: RunnerOptions<Services>): RunningJobs {
  const stopping = new AbortController()
  const { signal } = stopping
  const stopped = new Promise<void>(resolve =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  const warn = (error: unknown) =>
    options.log.warn({ error: explainFault(error) }, 'jobs are not running; retrying')
  const ending = new Set<Promise<void>>()
  const running = (async () => {
    while (!signal.aborted) {
      try {
        const runner = await openRunner(options)
        await Promise.race([runner.broken, stopped])
        if (!signal.aborted) warn(new Error('the runner of jobs broke'))
        const end = runner.end().finally(() => ending.delete(end))
        ending.add(end)
      } catch (error) {
        warn(error)
      }
      await sleep(restartMs, undefined, { signal }).catch(() => {})
    }
    await Promise.all(ending)
  })()
  return {
    async close() {
      stopping.abort()
      await running
    },
  }
}
