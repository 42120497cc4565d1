import type { GraphQLFieldResolver, GraphQLScalarType, GraphQLSchema } from 'graphql'
import { isEnumType, isObjectType, isScalarType } from 'graphql'
import type { SubgraphContext } from './subgraph-context.ts'

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>
type TypeResolvers =
  | Record<string, FieldResolver | { resolve?: FieldResolver; subscribe?: FieldResolver }>
  | Record<string, string | number>
  | GraphQLScalarType

/** The resolvers of an executable schema by type, to attach them to the same types in a federated one. */
export function collectResolvers(schema: GraphQLSchema): Record<string, TypeResolvers> {
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
