import '../platform/process/require-node.ts' // first: what follows may need a newer one
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'
import { startWorkers } from './start-workers.ts'

// The garbage of a request lives as long as the request. With many requests in flight, V8 takes such objects for
// long-lived and creates them in the old generation, whose collection costs a tenth of the CPU.
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
