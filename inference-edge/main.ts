import '../platform/process/require-node.ts' // first: what follows may need a newer one
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'
import { startWorkers } from './start-workers.ts'

// What a request leaves behind lives as long as the request. V8 takes what many requests in flight have of a kind for
// long-lived, makes it in the old generation from then on, and has that collected all the time: a tenth of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring')

await runMain({
  name: 'edge',
  help: `Usage: npm run edge

Serves /v1, and passes /api/v1, /graphql and /.well-known on to the control plane.
Settings come from the environment: EDGE_PORT, EDGE_PROCESSES, DATABASE_URL, REDIS_URL, … (docs/settings.md).`,
  async start(config) {
    if (cluster.isPrimary && config.edgeProcesses !== 1)
      return startWorkers(config, config.edgeProcesses || availableParallelism())
    await requireDatabase(config, 'edge')
    // Loaded late, as it takes a while: --help and a wrong setting are answered at once, and who only starts workers
    // needs none of it.
    const { startEdge } = await import('./start-edge.ts')
    return startEdge(config)
  },
})
