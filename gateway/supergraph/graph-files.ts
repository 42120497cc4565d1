import { buildSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { composeSupergraph } from './compose-supergraph.ts'
import { supergraphFile } from './graph-folder.ts'

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
