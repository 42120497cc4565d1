import { type DocumentNode, type GraphQLError, Kind, visit } from 'graphql'
import { Problem } from '../../schema/errors.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'

/**
 * Maximum nesting depth of values. The query planner fails without an error on values nested deeper than about 50
 * levels, counted from the operation.
 */
const maxNesting = 24

/** Returns an error if values or list types are nested deeper than `maxNesting`. */
export function checkNesting(document: DocumentNode): GraphQLError[] {
  let depth = 0
  let deepest = 0
  visit(document, {
    enter({ kind }) {
      if (nesting.has(kind)) deepest = Math.max(deepest, ++depth)
    },
    leave({ kind }) {
      if (nesting.has(kind)) depth -= 1
    },
  })
  if (deepest <= maxNesting) return []
  return [refusedQuery(`A value is nested deeper than ${maxNesting} levels. Send it as a variable.`)]
}

const nesting: ReadonlySet<string> = new Set([Kind.OBJECT, Kind.LIST, Kind.LIST_TYPE])

/**
 * Maximum number of times a field name can be repeated. GraphQL's rule for overlapping fields compares each occurrence
 * with every other, which takes quadratic time.
 */
const maxRepeats = 30

/**
 * Returns an error if a field with arguments or a selection occurs under the same name more than `maxRepeats` times.
 */
export function checkRepeats(document: DocumentNode): GraphQLError[] {
  const repeats = new Map<string, number>()
  let repeated = ''
  visit(document, {
    Field(node) {
      if (!node.selectionSet && !node.arguments?.length) return
      const name = (node.alias ?? node.name).value
      const count = (repeats.get(name) ?? 0) + 1
      repeats.set(name, count)
      if (count > maxRepeats) repeated = name
    },
  })
  if (repeated === '') return []
  return [refusedQuery(`${repeated} is selected more than ${maxRepeats} times in one document.`)]
}

/**
 * Returns an error if `__schema` or `__type` is selected beside other fields. The query planner does not support them.
 * The runtime answers them in documents that select nothing else.
 */
export function checkSchemaFields(document: DocumentNode): GraphQLError[] {
  let selectsSchema = false
  visit(document, {
    Field: ({ name }) => {
      selectsSchema ||= schemaFields.has(name.value)
    },
  })
  if (!selectsSchema) return []
  const roots = document.definitions
    .filter(definition => definition.kind === Kind.OPERATION_DEFINITION)
    .flatMap(({ selectionSet }) => selectionSet.selections)
  const isOwn = (name: string) => schemaFields.has(name) || name === '__typename'
  if (roots.every(root => root.kind === Kind.FIELD && isOwn(root.name.value))) return []
  return [refusedQuery('Select __schema and __type in a separate document and outside fragments.')]
}

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type'])

/** Returns the error for a refused document. */
export function refusedQuery(message: string): GraphQLError {
  return presented(new Problem('invalid_request', { message, param: 'query' }))
}
