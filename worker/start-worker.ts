import Koa from 'koa'
import { closeContext, openContext } from '../domain/context.ts'
import type { Config } from '../platform/config/read-config.ts'
import { answerHealth } from '../platform/http/answer-health.ts'
import { listen } from '../platform/http/listen.ts'
import { openServer } from '../platform/http/open-server.ts'
import type { Running } from '../platform/process/run-main.ts'
import { jobs } from './jobs/jobs.ts'
import { repeatJob } from './repeat-job.ts'

/** Starts a worker: every job repeats, and its health can be asked. Closing waits for jobs that are running. */
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
