import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { buildSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { supergraphFile } from './load-graph.ts'

/**
 * Composes one graph out of the subgraphs' SDL. The addresses in it are names: where a subgraph really runs
 * is decided when the gateway starts. Throws with every reason when they do not fit together.
 */
export function composeSupergraph(subgraphs: readonly { name: string; sdl: string }[]): string {
  const services = subgraphs.map(({ name, sdl }) => ({
    name,
    typeDefs: parse(sdl),
    url: `http://${name}.subgraph`,
  }))
  const { supergraphSdl, errors } = composeServices(services)
  if (supergraphSdl !== undefined) return `${supergraphSdl.trim()}\n`
  throw new Error(errors?.map(error => error.message).join('\n') ?? 'The subgraphs do not compose')
}

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
