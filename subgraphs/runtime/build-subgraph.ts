import 'reflect-metadata'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import {
  type GraphQLFieldResolver,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  Kind,
  parse,
  valueFromAST,
} from 'graphql'
import { buildSchema, getMetadataStorage, type PubSub } from 'type-graphql'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { auditMutation } from './audit-mutations.ts'
import { guardField } from './guard-fields.ts'
import type { SubgraphContext } from './services.ts'
import type { FindReference, Subgraph } from './subgraph.ts'

/** A subgraph, ready to execute. */
export interface BuiltSubgraph {
  name: string
  /** The schema document from which the supergraph is composed. */
  sdl: string
  /** The executable schema, with `_service`, `_entities` and all resolvers. */
  schema: GraphQLSchema
}

const federation = `extend schema @link(
  url: "https://specs.apollo.dev/federation/v2.9"
  import: ["@key", "@shareable", "@external", "@provides", "@requires", "@inaccessible"]
)`

/** GraphQL specifies this directive, but federation does not support it yet. */
const oneOf = 'directive @oneOf on INPUT_OBJECT'

const built = new WeakMap<Subgraph, Promise<BuiltSubgraph>>()

/**
 * Returns a built subgraph. Each subgraph is built once per process. Everything that depends on the call is in the
 * context.
 */
export function builtSubgraph(subgraph: Subgraph): Promise<BuiltSubgraph> {
  const known = built.get(subgraph) ?? buildSubgraph(subgraph)
  built.set(subgraph, known)
  return known
}

/**
 * Builds the classes of a subgraph into a federated schema. `guard` wraps the resolver of each field. The default
 * checks the table of permissions; tests with other fields pass their own.
 */
export async function buildSubgraph(subgraph: Subgraph, guard = guardField): Promise<BuiltSubgraph> {
  const plain = await buildSchema({
    resolvers: subgraph.resolvers,
    orphanedTypes: [...extendedTypes(subgraph), ...(subgraph.types ?? [])],
    pubSub: noTopics,
    validate: false,
  })
  const printed = printSchemaWithDirectives(plain)
  const head = printed.includes(' @oneOf ') ? `${federation}\n\n${oneOf}` : federation
  const sdl = `${head}\n\n${printed}\n`
  const schema = buildSubgraphSchema([
    { typeDefs: parse(sdl), resolvers: collectResolvers(plain, guard) },
    { typeDefs: { kind: Kind.DOCUMENT, definitions: [] }, resolvers: referencesOf(subgraph) },
  ])
  copyTypeResolvers(plain, schema)
  readDefaults(schema)
  return { name: subgraph.name, sdl, schema }
}

/** Parses the default values again, because they were parsed before the values of enumerations were known. */
function readDefaults(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const fields = isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : []
    const inputs = fields.flatMap(field => ('args' in field ? field.args : [field]))
    for (const input of inputs) {
      const given = input.astNode?.defaultValue
      if (given) input.defaultValue = valueFromAST(given, input.type)
    }
  }
}

/** A placeholder that type-graphql requires. Every subscription has its own source (`subscribe`). */
const noTopics: PubSub = {
  publish() {
    throw new Error('Publish through the context instead')
  },
  subscribe() {
    throw new Error('Subscriptions must set `subscribe`')
  },
}

/**
 * Returns the types to which field resolvers add fields. They must be listed, because often no root field of this
 * subgraph returns them.
 */
function extendedTypes({ resolvers }: Subgraph) {
  const { fieldResolvers, resolverClasses } = getMetadataStorage()
  const extending = new Set(fieldResolvers.map(field => field.target).filter(it => resolvers.includes(it)))
  return resolverClasses.filter(({ target }) => extending.has(target)).map(it => it.getObjectType())
}

function referencesOf(subgraph: Subgraph) {
  const references = Object.entries(subgraph.references ?? {})
  return Object.fromEntries(
    references.map(([type, find]) => [type, { __resolveReference: findByReference(type, find) }]),
  )
}

/** Returns a reference resolver. Objects that the caller cannot see resolve to null, like objects that do not exist. */
function findByReference(type: string, find: FindReference) {
  return async (reference: { id: string }, context: SubgraphContext) =>
    isPermitted(type, context) ? ((await find(context, reference.id)) ?? null) : null
}

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>
type TypeResolvers =
  | Record<string, FieldResolver | { resolve?: FieldResolver; subscribe?: FieldResolver }>
  | Record<string, string | number>
  | GraphQLScalarType

/** Returns the resolvers of an executable schema by type, so that they can be attached to a federated schema. */
function collectResolvers(schema: GraphQLSchema, guard: typeof guardField): Record<string, TypeResolvers> {
  const found: Record<string, TypeResolvers> = {}
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isScalarType(type)) found[type.name] = type
    if (isEnumType(type)) found[type.name] = valuesOf(type.getValues())
    if (isObjectType(type)) {
      const fields = Object.values(type.getFields())
      found[type.name] = Object.fromEntries(
        fields.map(({ name, resolve: own, subscribe: source }) => {
          const resolve = source ? own : guard(type.name, name, recorded(type.name, name, own))
          const subscribe = guard(type.name, name, source)
          return [name, { ...(resolve && { resolve }), ...(subscribe && { subscribe }) }]
        }),
      )
    }
  }
  return found
}

/** Adds the audit log to mutations. */
function recorded(
  type: string,
  field: string,
  resolve: FieldResolver | undefined,
): FieldResolver | undefined {
  return type === 'Mutation' && resolve ? auditMutation(field, resolve) : resolve
}

/** Copies the type resolvers of interfaces to the federated schema. */
function copyTypeResolvers(plain: GraphQLSchema, federated: GraphQLSchema): void {
  for (const type of Object.values(plain.getTypeMap())) {
    const copy = federated.getType(type.name)
    if (isInterfaceType(type) && isInterfaceType(copy)) copy.resolveType = type.resolveType
  }
}

function valuesOf(values: readonly { name: string; value: unknown }[]): Record<string, string> {
  return Object.fromEntries(values.map(({ name, value }) => [name, String(value)]))
}
