import { closeContext, openContext } from '../domain/context.ts'
import type { Config } from '../platform/config/read-config.ts'
import type { Running } from '../platform/process/run-main.ts'
import { jobs } from './jobs/jobs.ts'
import { repeatJob } from './repeat-job.ts'
import { serveHealth } from './serve-health.ts'

/** Starts a worker: every job repeats, and its health can be asked. Closing waits for jobs that are running. */
export async function startWorker(config: Config): Promise<Running & { url: string }> {
  const context = openContext(config, { name: 'worker', maxConnections: 4 })
  const health = await serveHealth({
    host: config.host,
    port: config.workerPort,
    isReady: () =>
      context.sql`select 1`.then(
        () => true,
        () => false,
      ),
  })
  const stops = jobs.map(job => repeatJob(context, job))
  return {
    url: health.url,
    async close() {
      await Promise.all(stops.map(stop => stop()))
      await health.close()
      await closeContext(context)
    },
  }
}
