import { relocatedError } from '@graphql-tools/utils'
import { type DocumentNode, type GraphQLError, getOperationAST, Kind, type SelectionSetNode } from 'graphql'
import { isRecord } from '../../platform/checks.ts'
import type { ValuePath } from '../../schema/value-path.ts'
import type { ExecutorResult } from './reach-subgraphs.ts'

/** A request of the query plan to a subgraph. */
interface Fetch {
  document: DocumentNode
  operationName?: string | undefined
  variables?: unknown
}

/**
 * Returns the result of a fetch with its errors at the paths where clients look for them. If the fetch failed as a
 * whole, each error is repeated for each field that the fetch was to return, with the path of that field. The runtime
 * maps these paths to the client's document. An error without a path would be reported at the object around the field.
 * `present` is called once for each repeated error.
 */
export function placeErrors(
  fetch: Fetch,
  result: ExecutorResult,
  present: (error: unknown) => GraphQLError,
): ExecutorResult {
  if (Symbol.asyncIterator in result || result.data || !result.errors?.some(({ path }) => !path))
    return result
  const paths = pathsOf(fetch)
  const errors = result.errors.flatMap((error: GraphQLError) => {
    if (error.path) return [error]
    const presented = present(error)
    return paths.map(path => relocatedError(presented, path))
  })
  return { ...result, errors }
}

/** Returns the paths of the fields that a fetch selects: root fields, or fields of entities. */
function pathsOf({ document, operationName, variables }: Fetch): ValuePath[] {
  const selections = getOperationAST(document, operationName)?.selectionSet.selections ?? []
  return selections.flatMap(field => {
    if (field.kind !== Kind.FIELD) return []
    const root = (field.alias ?? field.name).value
    if (field.name.value !== '_entities' || !field.selectionSet) return [[root]]
    const given = field.arguments?.[0]?.value
    const entities = given?.kind === Kind.VARIABLE ? readList(variables, given.name.value) : []
    const { selectionSet } = field
    return entities.flatMap((entity, index) =>
      fieldsOf(selectionSet, typeNameOf(entity)).map(name => [root, index, name]),
    )
  })
}

/** Returns the names in the result of the selected fields of a type. */
function fieldsOf({ selections }: SelectionSetNode, type: unknown): string[] {
  return selections.flatMap(selection => {
    if (selection.kind === Kind.FIELD)
      return selection.name.value === '__typename' ? [] : [(selection.alias ?? selection.name).value]
    if (selection.kind !== Kind.INLINE_FRAGMENT) return []
    const condition = selection.typeCondition?.name.value
    return condition === undefined || condition === type ? fieldsOf(selection.selectionSet, type) : []
  })
}

function readList(variables: unknown, name: string): readonly unknown[] {
  const value = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : []
  return Array.isArray(value) ? value : []
}

function typeNameOf(entity: unknown): unknown {
  return isRecord(entity) ? entity.__typename : undefined
}
