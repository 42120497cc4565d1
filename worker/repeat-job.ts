import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../domain/context.ts'
import { explainFault } from '../platform/process/explain-fault.ts'
import type { Job } from './job.ts'

/**
 * Runs a job now and again and again until the returned function is called, which resolves when the run in
 * progress has ended. The wait between two runs varies by a fifth, so that workers do not march in step.
 * A run that fails is one line in the log, and the next one makes up for it.
 */
export function repeatJob(context: Context, job: Job): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const repeating = (async () => {
    while (!signal.aborted) {
      await job
        .run(context)
        .catch(error => context.log.error({ job: job.name, error: explainFault(error) }, 'job failed'))
      const waitMs = job.everyMs * (0.9 + 0.2 * Math.random())
      await sleep(waitMs, undefined, { signal }).catch(() => {})
    }
  })()
  return async () => {
    stopping.abort()
    await repeating
  }
}
