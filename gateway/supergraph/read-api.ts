import { readFile } from 'node:fs/promises'
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition'
import { buildASTSchema, type GraphQLSchema, parse } from 'graphql'
import { graphFolder, supergraphFile } from './load-graph.ts'

/** Reads the graph that clients see from the committed supergraph, without the parts for the query planner. */
export async function readApi(): Promise<GraphQLSchema> {
  return apiOf(await readFile(new URL(supergraphFile, graphFolder), 'utf8'))
}

/** Returns the graph that clients see of a supergraph. */
export function apiOf(supergraph: string): GraphQLSchema {
  return buildASTSchema(transformSupergraphToPublicSchema(parse(supergraph)), { assumeValidSDL: true })
}
