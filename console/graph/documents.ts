import { initGraphQLTada } from 'gql.tada'
import type { introspection } from './introspection.d.ts'

/**
 * Declares a document of the graph. Its types follow from the graph itself: `npm run typecheck` finds a field that does
 * not exist. Amounts are decimal text.
 */
export const graphql = initGraphQLTada<{
  introspection: introspection
  disableMasking: true
  scalars: {
    ID: string
    Money: string
    Rate: string
    DateTime: string
    Date: string
    Count: number
    JSON: unknown
  }
}>()

type Types = introspection['types']
type FieldsOf<Name extends 'Query' | 'Mutation' | 'Account'> =
  `${Name}.${string & keyof Types[Name]['fields']}`

/** A field that the graph permits some callers only, for example `Mutation.startTopUp` (docs/graph.md, Permissions). */
export type PermittedField = FieldsOf<'Query'> | FieldsOf<'Mutation'> | FieldsOf<'Account'>

export type { ResultOf, VariablesOf } from 'gql.tada'
