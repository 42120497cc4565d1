import { readFile } from 'node:fs/promises'
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition'
import { buildASTSchema, type GraphQLSchema, parse } from 'graphql'
import { graphFolder, supergraphFile } from './load-graph.ts'

/** Reads the graph as clients see it, without what only the planner needs, from the committed supergraph. */
export async function readApi(): Promise<GraphQLSchema> {
  return apiOf(await readFile(new URL(supergraphFile, graphFolder), 'utf8'))
}

/** The graph of a supergraph as clients see it. */
export function apiOf(supergraph: string): GraphQLSchema {
  return buildASTSchema(transformSupergraphToPublicSchema(parse(supergraph)), { assumeValidSDL: true })
}
