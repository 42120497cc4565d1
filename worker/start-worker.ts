import Koa from 'koa'
import { closeContext, openContext } from '../domain/context.ts'
import { closeMedia, openMedia } from '../domain/media/media.ts'
import { readOwnMedia } from '../domain/media/read-own-media.ts'
import { openPayments } from '../domain/stripe/open-payments.ts'
import type { Config } from '../platform/config/read-config.ts'
import { answerHealth } from '../platform/http/health.ts'
import { listen } from '../platform/http/listen.ts'
import { openServer } from '../platform/http/open-server.ts'
import { openLiveness } from '../platform/jobs/open-liveness.ts'
import { runJobs } from '../platform/jobs/run-jobs.ts'
import type { Running } from '../platform/process/run-main.ts'
import { openUpstreams } from '../upstreams/call/open-upstreams.ts'
import { openCallbackSender } from './callbacks/open-sender.ts'
import { openPoster } from './callbacks/post-callback.ts'
import { startChores } from './chores/start-chores.ts'
import { jobs } from './jobs/jobs.ts'
import { openTaskServices } from './tasks/task-services.ts'

/** Starts a worker: it runs jobs and chores, and serves /healthz and /readyz. Closing waits for those in progress. */
export async function startWorker(config: Config): Promise<Running & { url: string }> {
  const context = openContext(config, { name: 'worker', maxConnections: 10 })
  const media = await openMedia(context)
  const payments = openPayments(config)
  const upstreams = openUpstreams(config, {
    readOwn: (address, maxBytes) => readOwnMedia(media, address, maxBytes),
    redis: context.redis,
  })
  const poster = openPoster(config)
  const liveness = openLiveness({ url: config.databaseUrl, name: 'worker', log: context.log })
  const callbacks = openCallbackSender(context, { post: poster.post, worker: liveness.id })
  const tasks = openTaskServices(context, { upstreams, media, worker: liveness.id })
  let draining = false
  const app = new Koa().use(answerHealth(context, () => draining))
  const listening = await listen(openServer(app.callback()), { host: config.host, port: config.workerPort })
  const services = { context, media, payments, upstreams, callbacks, tasks }
  const running = runJobs({
    url: config.databaseUrl,
    name: 'worker',
    log: context.log,
    services,
    liveness,
    jobs,
    atOnce: config.workerJobs,
    graceMs: config.shutdownGraceMs,
  })
  const chores = startChores(services)
  return {
    url: listening.url,
    async close() {
      draining = true
      await running.close()
      const graceMs = config.shutdownGraceMs
      await Promise.all([tasks.steps.close(graceMs), callbacks.close(graceMs), chores.close()])
      await tasks.close()
      await liveness.close()
      await poster.close()
      await listening.drain(config.shutdownGraceMs)
      await upstreams.close()
      payments.close()
      closeMedia(media)
      await closeContext(context)
    },
  }
}
