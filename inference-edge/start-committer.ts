import { listenAsCommitter } from '../domain/committer/listen.ts'
import { readBuild } from '../domain/committer/messages.ts'
import { closeContext, openContext } from '../domain/context.ts'
import type { Config } from '../platform/config/read-config.ts'
import { type Fault, findFault } from '../platform/http/health.ts'
import { answerScrapes } from '../platform/metrics/child-metrics.ts'
import type { Running } from '../platform/process/run-main.ts'
import { openTracing } from '../platform/tracing/tracing.ts'
import { type CommitterNews, newsIntervalMs } from './keep-committer.ts'

/** Interval at which Postgres is checked, in milliseconds. */
const checkIntervalMs = 1_000

/**
 * Starts the committer of this machine on a Unix socket. It ends when the process that started it and all its edge
 * processes have ended. After an uncaught exception it ends at once, and its successor continues its holds.
 */
export async function startCommitter(
  config: Config,
  { path, adopted }: { path: string; adopted: string | undefined },
): Promise<Running> {
  const tracing = await openTracing(config, 'committer')
  const context = openContext(config, { name: 'committer', tracing })
  const committer = await listenAsCommitter(context, { path, build: readBuild(), adopted })
  let fault: Fault | undefined
  const report = () => {
    if (process.connected) process.send?.({ processId: committer.processId, fault } satisfies CommitterNews)
  }
  const sendLastMetrics = answerScrapes(context.metrics)
  report()
  const reports = setInterval(report, newsIntervalMs)
  const checks = setInterval(async () => {
    fault = await findFault(context)
  }, checkIntervalMs)
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  return {
    async close({ isFaulty } = { isFaulty: false }) {
      if (isFaulty) return
      await committer.close()
      clearInterval(reports)
      clearInterval(checks)
      await sendLastMetrics()
      await closeContext(context)
    },
  }
}
