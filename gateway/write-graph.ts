import { runMain } from '../platform/process/run-main.ts'

const help = `
Writes schema/graph (the SDL of every subgraph and the composed supergraph) and schema/openapi.json, which
describes /v1 and /api/v1.

  npm run graph
  npm run graph:publish     also publishes the graph: later breaking changes are relative to it
`

await runMain({
  name: 'graph',
  help,
  options: { publish: { type: 'boolean' } },
  async start(_config, { options }) {
    // Loaded late, because it takes seconds: --help and invalid options are reported at once.
    const { writeGraphFiles } = await import('./write-graph-files.ts')
    await writeGraphFiles({ publishes: options.publish === true })
    return undefined
  },
})
