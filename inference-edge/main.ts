import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import type { Config } from '../platform/config/read-config.ts'
import { type Running, runMain } from '../platform/process/run-main.ts'
import { startEdge } from './start-edge.ts'

await runMain({
  name: 'edge',
  help: `Usage: npm run edge

Serves /v1, and passes /api/v1, /graphql and /.well-known on to the control plane.
Settings come from the environment: EDGE_PORT, EDGE_PROCESSES, DATABASE_URL, REDIS_URL, … (README: Settings).`,
  start: config =>
    cluster.isPrimary && config.edgeProcesses !== 1 ? startCluster(config) : startEdge(config),
})

/** One worker process a core (or as many as the setting says) behind one port; a worker that dies is replaced. */
async function startCluster(config: Config): Promise<Running> {
  const count = config.edgeProcesses || availableParallelism()
  let closing = false
  const fork = () =>
    new Promise<void>(resolve => {
      const worker = cluster.fork()
      worker.once('listening', () => resolve())
      worker.once('exit', () => {
        if (!closing) setTimeout(fork, 500)
        resolve()
      })
    })
  await Promise.all(Array.from({ length: count }, fork))
  return {
    url: `http://${config.host}:${config.edgePort}`,
    async close() {
      closing = true
      const workers = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
      await Promise.all(
        workers.map(
          worker =>
            new Promise(resolve => {
              worker.once('exit', resolve)
              worker.process.kill('SIGTERM')
            }),
        ),
      )
    },
  }
}
