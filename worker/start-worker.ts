import { closeContext, openContext } from '../domain/context.ts'
import { closeMedia, openMedia } from '../domain/media/media.ts'
import { readOwnMedia } from '../domain/media/read-own-media.ts'
import { openPayments } from '../domain/stripe/open-payments.ts'
import type { Config } from '../platform/config/read-config.ts'
import { openHealth } from '../platform/http/health-thread.ts'
import { openLiveness } from '../platform/jobs/open-liveness.ts'
import { runJobs } from '../platform/jobs/run-jobs.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Running } from '../platform/process/run-main.ts'
import { openTracing } from '../platform/tracing/tracing.ts'
import { openUpstreams } from '../upstreams/call/open-upstreams.ts'
import { openCallbackSender } from './callbacks/open-sender.ts'
import { openPoster } from './callbacks/post-callback.ts'
import { startChores } from './chores/start-chores.ts'
import { jobs } from './jobs/jobs.ts'
import { observeQueues } from './observe-queues.ts'
import { openTaskServices } from './tasks/task-services.ts'

/** Starts a worker: it runs jobs and chores, and serves health checks and metrics. Closing waits for those in progress. */
export async function startWorker(config: Config): Promise<Running & { url: string }> {
  const tracing = await openTracing(config, 'worker')
  const context = openContext(config, { name: 'worker', maxConnections: 10, tracing })
  const media = await openMedia(context)
  const payments = openPayments(config)
  const upstreams = openUpstreams(config, {
    readOwn: (address, maxBytes) => readOwnMedia(media, address, maxBytes),
    redis: context.redis,
    metrics: context.metrics,
  })
  const poster = openPoster(config)
  const session = directAddress(config) // advisory locks of sessions, and LISTEN
  const liveness = openLiveness({ ...session, name: 'worker', log: context.log })
  const callbacks = openCallbackSender(context, { post: poster.post, worker: liveness.id })
  const tasks = openTaskServices(context, { upstreams, media, worker: liveness.id })
  observeQueues(context)
  const health = await openHealth(context, config.workerPort)
  const services = { context, media, payments, upstreams, callbacks, tasks }
  const running = runJobs({
    ...session,
    name: 'worker',
    log: context.log,
    tracing,
    services,
    liveness,
    jobs,
    atOnce: config.workerJobs,
    graceMs: config.shutdownGraceMs,
  })
  const chores = startChores(services)
  return {
    url: health.url,
    async close() {
      health.drain()
      await running.close()
      const graceMs = config.shutdownGraceMs
      await Promise.all([tasks.steps.close(graceMs), callbacks.close(graceMs), chores.close()])
      await tasks.close()
      await liveness.close()
      await poster.close()
      await upstreams.close()
      payments.close()
      closeMedia(media)
      await closeContext(context)
      await health.close()
    },
  }
}
