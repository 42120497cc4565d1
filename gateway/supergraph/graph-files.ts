import { buildSubgraph } from '../../subgraphs/frame/build-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { composeSupergraph } from './compose-supergraph.ts'

/** Where the graph is written down. */
export const graphFolder = new URL('../../schema/graph/', import.meta.url)

export const supergraphFile = 'supergraph.graphql'

/** What `schema/graph` holds, by file name: the SDL of every subgraph and what they compose to. */
export async function graphFiles(): Promise<Map<string, string>> {
  const built = await Promise.all(
    Object.values(subgraphs).map(async load => buildSubgraph((await load()).subgraph)),
  )
  return new Map([
    ...built.map(({ name, sdl }) => [`${name}.graphql`, sdl] as const),
    [supergraphFile, composeSupergraph(built)],
  ])
}
