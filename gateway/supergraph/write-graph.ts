import { writeFile } from 'node:fs/promises'
import { runMain } from '../../platform/process/run-main.ts'
import { graphFiles } from './compose-supergraph.ts'
import { graphFolder } from './load-graph.ts'

const help = `
Writes schema/graph anew: the SDL of every subgraph, and the supergraph that they compose to.

  npm run graph
`

await runMain({ name: 'graph', help, start: writeGraph })

async function writeGraph(): Promise<undefined> {
  for (const [name, text] of await graphFiles()) await writeFile(new URL(name, graphFolder), text)
}
