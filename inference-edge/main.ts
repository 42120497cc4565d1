import '../platform/process/require-node.ts' // first, because the other modules may need a newer Node
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { requireDatabase } from '../domain/keys/require-database.ts'
import { warnOfLostCommits } from '../platform/postgres/warn-of-lost-commits.ts'
import { runMain } from '../platform/process/run-main.ts'
import { startWorkers } from './workers/start-workers.ts'

// The objects of a request live as long as the request. With many requests in flight, V8 classifies such objects as
// long-lived and creates them in the old generation, whose collection costs a tenth of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring')

const isWorker = process.argv.includes('--committer')

await runMain({
  name: 'edge',
  help: `Usage: npm run edge

Serves /v1, and forwards /api/v1, /graphql and /.well-known to the control plane.
Settings are environment variables: EDGE_PORT, EDGE_PROCESSES, DATABASE_URL, REDIS_URL, … (docs/settings.md).`,
  // For the workers that this process starts: the socket of their committer, and the number of sockets of their port.
  options: { committer: { type: 'string' }, sockets: { type: 'string' } },
  // The first process closes the committer after its workers have ended, which may take all their time.
  extraClosingMs: isWorker ? 0 : 5_000,
  async start(config, { options: { committer, sockets } }) {
    await requireDatabase(config, 'edge')
    if (!isWorker) await warnOfLostCommits(config, 'edge')
    const processes = config.edgeProcesses || availableParallelism()
    const worker =
      typeof committer === 'string' ? { committerPath: committer, sockets: Number(sockets) } : undefined
    if (!worker && processes > 1) return startWorkers(config, processes)
    // Loaded late, because loading takes a while: --help and invalid settings are reported at once, and the process
    // that only starts worker processes does not need it.
    const { startEdge } = await import('./start-edge.ts')
    return startEdge(config, {}, worker)
  },
})
