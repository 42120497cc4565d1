import { writeFile } from 'node:fs/promises'
import { runMain } from '../platform/process/run-main.ts'
import { openApiFile, openApiText } from './openapi/build-openapi.ts'
import { graphFiles } from './supergraph/compose-supergraph.ts'
import { graphFolder, supergraphFile } from './supergraph/load-graph.ts'
import { publish } from './supergraph/published-graph.ts'
import { apiOf } from './supergraph/read-api.ts'

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
  start: (_config, { options }) => writeGraph(options.publish === true),
})

async function writeGraph(publishes: boolean): Promise<undefined> {
  const files = await graphFiles()
  for (const [name, text] of files) await writeFile(new URL(name, graphFolder), text)
  await writeFile(openApiFile, await openApiText())
  const supergraph = files.get(supergraphFile)
  if (publishes && supergraph !== undefined) await publish(apiOf(supergraph))
}
