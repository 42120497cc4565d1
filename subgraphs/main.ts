import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'
import { subgraphs } from './subgraphs.ts'

const names = Object.keys(subgraphs).join(', ')

const help = `
One subgraph by itself, over HTTP, for a gateway whose SUBGRAPH_URLS names it. It refuses calls that are not signed
with SUBGRAPH_SECRET.

  npm run subgraph -- NAME        NAME is one of ${names}

SUBGRAPH_PORT says where it listens; it answers /healthz and /readyz. Every setting is in .env.example.
`

await runMain({
  name: 'subgraph',
  help,
  maxOperands: 1,
  async start(config, { operands }) {
    const load = subgraphs[operands[0] ?? '']
    if (!load) throw new Error(`name one of ${names}: see --help`)
    await requireDatabase(config, 'subgraph')
    // Loaded late, as it takes seconds: --help and a wrong setting are answered at once.
    const { startSubgraph } = await import('./runtime/start-subgraph.ts')
    const { openOwnVendors } = await import('../upstreams/call/open-own-vendors.ts')
    return startSubgraph(config, (await load()).subgraph, { openVendors: openOwnVendors })
  },
})
