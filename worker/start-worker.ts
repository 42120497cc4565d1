import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { type Context, closeContext, openContext } from '../domain/context.ts'
import type { Config } from '../platform/config/read-config.ts'
import { answerHealth } from '../platform/http/health.ts'
import { listen } from '../platform/http/listen.ts'
import { openServer } from '../platform/http/open-server.ts'
import { explainFault } from '../platform/process/explain-fault.ts'
import type { Running } from '../platform/process/run-main.ts'
import { type Job, jobs } from './jobs.ts'

/**
 * Starts a worker: every job repeats, and /healthz and /readyz are served. Closing waits for jobs that are
 * running.
 */
export async function startWorker(config: Config): Promise<Running & { url: string }> {
  const context = openContext(config, { name: 'worker', maxConnections: 4 })
  let draining = false
  const app = new Koa().use(answerHealth(context, () => draining))
  const listening = await listen(openServer(app.callback()), { host: config.host, port: config.workerPort })
  const stops = jobs.map(job => repeatJob(context, job))
  return {
    url: listening.url,
    async close() {
      draining = true
      await Promise.all(stops.map(stop => stop()))
      await listening.drain(config.shutdownGraceMs)
      await closeContext(context)
    },
  }
}

/**
 * Runs a job at once and then every `everyMs`, until the returned function is called, which resolves when the
 * run in progress has ended. The wait between two runs varies by a fifth, so that several workers do not run
 * it at the same moment. A run that fails is one line in the log, and the next one makes up for it.
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
