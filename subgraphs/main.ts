import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'
import { subgraphs } from './subgraphs.ts'

const names = Object.keys(subgraphs).join(', ')

const help = `
Serves one subgraph over HTTP, for a gateway that lists it in SUBGRAPH_URLS. Calls that are not signed with a
secret of SUBGRAPH_SECRET are refused.
  npm run subgraph -- NAME        NAME is one of ${names}
SUBGRAPH_PORT sets the port. Health checks are at /healthz and /readyz, metrics at /metrics on SUBGRAPH_HEALTH_PORT.
.env.example lists every setting.
`

await runMain({
  name: 'subgraph',
  help,
  maxOperands: 1,
  async start(config, { operands }) {
    const load = subgraphs[operands[0] ?? '']
    if (!load) throw new Error(`The subgraph must be one of ${names}. See --help.`)
    await requireDatabase(config, 'subgraph')
    // Loaded late, because it takes seconds: --help and invalid settings are reported at once.
    const { startSubgraph } = await import('./runtime/start-subgraph.ts')
    const { openOwnVendors } = await import('../upstreams/call/open-own-vendors.ts')
    return startSubgraph(config, (await load()).subgraph, { openVendors: openOwnVendors })
  },
})
