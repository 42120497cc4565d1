import { requireDatabase } from '../domain/keys/require-database.ts'
import { warnOfLostCommits } from '../platform/postgres/warn-of-lost-commits.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Serves the control plane: /graphql (HTTP, SSE, WebSocket), the REST API under /api/v1, and /.well-known/jwks.json.
Subgraphs run in this process, except those that SUBGRAPH_URLS lists. Any number of control planes can run at once.
  npm run control
CONTROL_PORT sets the port. Health checks are at /healthz and /readyz, metrics at /metrics on CONTROL_HEALTH_PORT.
.env.example lists every setting.
`

await runMain({
  name: 'control',
  help,
  async start(config) {
    delete process.env.LOG_LEVEL // Already in config. The graph's runtime throws on the level `silent`.
    await requireDatabase(config, 'control')
    await warnOfLostCommits(config, 'control')
    // Loaded late, because it takes seconds: --help and invalid settings are reported at once.
    const { startControl } = await import('./start-control.ts')
    const { openOwnVendors } = await import('../upstreams/call/open-own-vendors.ts')
    const { consoleFolders } = await import('./console/read-console.ts')
    return startControl(config, { openVendors: openOwnVendors, consoleFolders })
  },
})
