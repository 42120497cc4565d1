import 'reflect-metadata'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import {
  type GraphQLFieldResolver,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isObjectType,
  isScalarType,
  Kind,
  parse,
} from 'graphql'
import { buildSchema, getMetadataStorage, type PubSub } from 'type-graphql'
import type { SubgraphContext } from './services.ts'
import type { FindReference, Subgraph } from './subgraph.ts'

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

/** type-graphql requires one; subscriptions here name their own source (`subscribe`). */
const noTopics: PubSub = {
  publish() {
    throw new Error('Publish through the news of the context')
  },
  subscribe() {
    throw new Error('A subscription names its own source')
  },
}

/**
 * The types that field resolvers add fields to. They must be named, as often no root field of this subgraph
 * returns them.
 */
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

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>
type TypeResolvers =
  | Record<string, FieldResolver | { resolve?: FieldResolver; subscribe?: FieldResolver }>
  | Record<string, string | number>
  | GraphQLScalarType

/** The resolvers of an executable schema by type, to attach them to the same types in a federated one. */
function collectResolvers(schema: GraphQLSchema): Record<string, TypeResolvers> {
  const found: Record<string, TypeResolvers> = {}
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isScalarType(type)) found[type.name] = type
    if (isEnumType(type)) found[type.name] = valuesOf(type.getValues())
    if (isObjectType(type)) {
      const fields = Object.values(type.getFields())
      found[type.name] = Object.fromEntries(
        fields.map(({ name, resolve, subscribe }) => [name, { resolve, subscribe }]),
      )
    }
  }
  return found
}

function valuesOf(values: readonly { name: string; value: unknown }[]): Record<string, string> {
  return Object.fromEntries(values.map(({ name, value }) => [name, String(value)]))
}
