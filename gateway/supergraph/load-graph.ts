import { readFile } from 'node:fs/promises'
import type { Config } from '../../platform/config/read-config.ts'
import { builtSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'

/** The folder with the committed SDL of each subgraph and the supergraph. `npm run graph` writes it. */
export const graphFolder = new URL('../../schema/graph/', import.meta.url)

export const supergraphFile = 'supergraph.graphql'

/**
 * Reads the composed supergraph and builds the subgraphs that `subgraphUrls` does not list, which run in this process.
 */
export async function loadGraph({ subgraphUrls }: Config) {
  const own = Object.entries(subgraphs).filter(([name]) => !subgraphUrls.has(name))
  const [supergraph, ...built] = await Promise.all([
    readFile(new URL(supergraphFile, graphFolder), 'utf8'),
    ...own.map(async ([, load]) => builtSubgraph((await load()).subgraph)),
  ])
  return { supergraph, subgraphs: built }
}
