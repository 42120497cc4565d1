import { writeFile } from 'node:fs/promises'
import { openApiFile, openApiText } from './openapi/build-openapi.ts'
import { graphFiles } from './supergraph/compose-supergraph.ts'
import { graphFolder, supergraphFile } from './supergraph/load-graph.ts'
import { publish } from './supergraph/published-graph.ts'
import { apiOf } from './supergraph/read-api.ts'

/**
 * Writes the graph and the OpenAPI document of this checkout. With `publishes`, the graph is also published to clients.
 */
export async function writeGraphFiles({ publishes }: { publishes: boolean }): Promise<void> {
  const files = await graphFiles()
  for (const [name, text] of files) await writeFile(new URL(name, graphFolder), text)
  await writeFile(openApiFile, await openApiText())
  const supergraph = files.get(supergraphFile)
  if (publishes && supergraph !== undefined) await publish(apiOf(supergraph))
}
