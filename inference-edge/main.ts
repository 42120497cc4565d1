import '../platform/process/require-node.ts' // first, because the other modules may need a newer Node
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'
import { startWorkers } from './start-workers.ts'

// The objects of a request live as long as the request. With many requests in flight, V8 classifies such objects as
// long-lived and creates them in the old generation, whose collection costs a tenth of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring')

await runMain({
  name: 'edge',
  help: `Usage: npm run edge

Serves /v1, and forwards /api/v1, /graphql and /.well-known to the control plane.
Settings are environment variables: EDGE_PORT, EDGE_PROCESSES, DATABASE_URL, REDIS_URL, … (docs/settings.md).`,
  options: { committer: { type: 'string' } }, // the socket of the committer, for processes that this one starts
  async start(config, { options: { committer } }) {
    await requireDatabase(config, 'edge')
    const processes = config.edgeProcesses || availableParallelism()
    if (cluster.isPrimary && processes > 1) return startWorkers(config, processes)
    // Loaded late, because loading takes a while: --help and invalid settings are reported at once, and the process
    // that only starts worker processes does not need it.
    const { startEdge } = await import('./start-edge.ts')
    return startEdge(config, {}, typeof committer === 'string' ? committer : undefined)
  },
})
