import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { buildSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { supergraphFile } from './load-graph.ts'

/**
 * Composes the subgraphs' SDL into one graph. The URLs in it are placeholders: the gateway decides at its start where
 * each subgraph runs. Throws all reasons if the subgraphs do not compose.
 */
export function composeSupergraph(parts: readonly { name: string; sdl: string }[]): string {
  const services = parts.map(({ name, sdl }) => ({
    name,
    typeDefs: parse(sdl),
    url: `http://${name}.subgraph`,
  }))
  const { supergraphSdl, errors } = composeServices(services)
  if (supergraphSdl !== undefined) return `${supergraphSdl.trim()}\n`
  throw new Error(errors?.map(error => error.message).join('\n') ?? 'The subgraphs do not compose')
}

/** Returns the content of `schema/graph` by file name: the SDL of every subgraph and the supergraph. */
export async function graphFiles(): Promise<Map<string, string>> {
  const built = await Promise.all(
    Object.values(subgraphs).map(async load => buildSubgraph((await load()).subgraph)),
  )
  return new Map([
    ...built.map(({ name, sdl }) => [`${name}.graphql`, sdl] as const),
    [supergraphFile, composeSupergraph(built)],
  ])
}
