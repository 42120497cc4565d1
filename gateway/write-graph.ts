import { runMain } from '../platform/process/run-main.ts'

const help = `
Writes schema/graph anew, the SDL of every subgraph and the supergraph that they compose to, and schema/openapi.json,
which describes /v1, and /api/v1 with the types of the graph.

  npm run graph
  npm run graph:publish     also begins anew to tell what breaks: clients know the graph as it is
`

await runMain({
  name: 'graph',
  help,
  options: { publish: { type: 'boolean' } },
  async start(_config, { options }) {
    // Loaded late, as it takes seconds: --help and a wrong option are answered at once.
    const { writeGraphFiles } = await import('./write-graph-files.ts')
    await writeGraphFiles({ publishes: options.publish === true })
    return undefined
  },
})
