import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
The control plane: /graphql (HTTP, SSE, WebSocket), its REST face under /api/v1, and /.well-known/jwks.json.
Subgraphs run in this process, but those that SUBGRAPH_URLS names. Any number of control planes may run at once.

  npm run control

CONTROL_PORT says where it listens; it answers /healthz and /readyz. Every setting is in .env.example.
`

await runMain({
  name: 'control',
  help,
  async start(config) {
    delete process.env.LOG_LEVEL // read into config already; the graph's runtime throws at our `silent`
    await requireDatabase(config, 'control')
    // Loaded late, as it takes seconds: --help and a wrong setting are answered at once.
    const { startControl } = await import('./start-control.ts')
    const { openOwnVendors } = await import('../upstreams/call/open-own-vendors.ts')
    return startControl(config, { openVendors: openOwnVendors })
  },
})
