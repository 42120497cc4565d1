import 'reflect-metadata'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import { type GraphQLSchema, Kind, parse } from 'graphql'
import { buildSchema, getMetadataStorage, type PubSub } from 'type-graphql'
import { collectResolvers } from './collect-resolvers.ts'
import type { FindReference, Subgraph } from './subgraph.ts'
import type { SubgraphContext } from './subgraph-context.ts'

/** A subgraph, ready to execute. */
export interface BuiltSubgraph {
  name: string
  /** What the supergraph is composed from. */
  sdl: string
  /** With `_service` and `_entities`, and every resolver. */
  schema: GraphQLSchema
}

const federation = `extend schema @link(
  url: "https://specs.apollo.dev/federation/v2.9"
  import: ["@key", "@shareable", "@external", "@provides", "@requires", "@inaccessible"]
)`

/** Builds the classes of a subgraph into a federated schema. */
export async function buildSubgraph(subgraph: Subgraph): Promise<BuiltSubgraph> {
  const plain = await buildSchema({
    resolvers: subgraph.resolvers,
    orphanedTypes: extendedTypes(subgraph),
    pubSub: noTopics,
    validate: false,
  })
  const sdl = `${federation}\n\n${printSchemaWithDirectives(plain)}\n`
  const schema = buildSubgraphSchema([
    { typeDefs: parse(sdl), resolvers: collectResolvers(plain) },
    { typeDefs: { kind: Kind.DOCUMENT, definitions: [] }, resolvers: referencesOf(subgraph) },
  ])
  return { name: subgraph.name, sdl, schema }
}

/** type-graphql asks for one; subscriptions here name their own source (`subscribe`). */
const noTopics: PubSub = {
  publish() {
    throw new Error('Publish through the news of the context')
  },
  subscribe() {
    throw new Error('A subscription names its own source')
  },
}

/** The types that field resolvers add to: often no root field of this subgraph leads there. */
function extendedTypes({ resolvers }: Subgraph) {
  const { fieldResolvers, resolverClasses } = getMetadataStorage()
  const extending = new Set(fieldResolvers.map(field => field.target).filter(it => resolvers.includes(it)))
  return resolverClasses.filter(({ target }) => extending.has(target)).map(it => it.getObjectType())
}

function referencesOf(subgraph: Subgraph) {
  const references = Object.entries(subgraph.references ?? {})
  return Object.fromEntries(
    references.map(([type, find]) => [type, { __resolveReference: findByReference(find) }]),
  )
}

function findByReference(find: FindReference) {
  return async (reference: { id: string }, context: SubgraphContext) =>
    (await find(context, reference.id)) ?? null
}
