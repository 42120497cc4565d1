import { type DocumentNode, type GraphQLError, Kind, visit } from 'graphql'
import { Problem } from '../../schema/errors.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'

/**
 * The planner fails without an error on values nested deeper than about 50 levels, counted from the
 * operation.
 */
const maxNesting = 24

/** Returns an error where values, or list types, nest deeper than `maxNesting`. */
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
  return [refusedQuery(`A value nests deeper than ${maxNesting} levels: send it as a variable.`)]
}

const nesting: ReadonlySet<string> = new Set([Kind.OBJECT, Kind.LIST, Kind.LIST_TYPE])

/**
 * GraphQL's rule for overlapping fields compares each occurrence of a name with every other: quadratic time.
 */
const maxRepeats = 30

/**
 * Returns an error where a field with arguments or a selection occurs under one name more than `maxRepeats`
 * times.
 */
export function checkRepeats(document: DocumentNode): GraphQLError[] {
  const repeats = new Map<string, number>()
  let most = ''
  visit(document, {
    Field(node) {
      if (!node.selectionSet && !node.arguments?.length) return
      const name = (node.alias ?? node.name).value
      const count = (repeats.get(name) ?? 0) + 1
      repeats.set(name, count)
      if (count > maxRepeats) most = name
    },
  })
  if (most === '') return []
  return [refusedQuery(`${most} is asked for more than ${maxRepeats} times in one document.`)]
}

/**
 * Returns an error where `__schema` or `__type` is selected beside other fields. The planner does not know
 * them; the runtime answers them in documents that select nothing else.
 */
export function checkSchemaFields(document: DocumentNode): GraphQLError[] {
  let asksForSchema = false
  visit(document, {
    Field: ({ name }) => {
      asksForSchema ||= schemaFields.has(name.value)
    },
  })
  if (!asksForSchema) return []
  const roots = document.definitions
    .filter(definition => definition.kind === Kind.OPERATION_DEFINITION)
    .flatMap(({ selectionSet }) => selectionSet.selections)
  const isOwn = (name: string) => schemaFields.has(name) || name === '__typename'
  if (roots.every(root => root.kind === Kind.FIELD && isOwn(root.name.value))) return []
  return [
    refusedQuery('Ask for __schema and __type in a document of their own, without fragments around them.'),
  ]
}

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type'])

/** The error for a document that is refused. */
export function refusedQuery(message: string): GraphQLError {
  return presented(new Problem('invalid_request', { message, param: 'query' }))
}
