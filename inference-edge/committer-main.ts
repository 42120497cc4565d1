import '../platform/process/require-node.ts' // first, because the other modules may need a newer Node
import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'

await runMain({
  name: 'committer',
  help: `Usage: started by npm run edge with EDGE_PROCESSES above 1

Keeps the holds of all edge processes of this machine, and commits their charges.
Operands: the path of its socket, and the process ID of the committer that it replaces.`,
  maxOperands: 2,
  // Its edge processes end first, within their own time.
  extraClosingMs: 5_000,
  async start(config, { operands: [path = '', adopted] }) {
    await requireDatabase(config, 'committer')
    const { startCommitter } = await import('./start-committer.ts')
    return startCommitter(config, { path, adopted })
  },
})
