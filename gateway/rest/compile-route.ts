import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  visit,
} from 'graphql'
import type { Route } from './routes/route.ts'

/** A row made ready against the supergraph. */
export interface CompiledRoute {
  route: Route
  /** The document, with every field answered under its REST name. */
  document: DocumentNode
  variables: Variable[]
  /** Where in the result the answer is. */
  answer: readonly string[]
}

export interface Variable {
  name: string
  type: GraphQLInputType
}

/** Makes a row ready. Throws when its document is not one operation of the supergraph's types. */
export function compileRoute(schema: GraphQLSchema, route: Route): CompiledRoute {
  const document = withRestNames(parse(route.document, { noLocation: true }))
  const [operation, ...more] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || more.length > 0)
    throw new Error(`${route.method} ${route.path} must be one operation`)
  return {
    route,
    document,
    variables: variablesOf(schema, operation),
    answer: route.answer ?? rootOf(operation),
  }
}

/** The one rule for names: an alias that the row did not write itself is the field's name in snake_case. */
function withRestNames(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field: node => {
      const value = snakeCase(node.name.value)
      if (node.alias || value === node.name.value) return undefined
      return { ...node, alias: { kind: Kind.NAME, value } }
    },
  })
}

function variablesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Variable[] {
  return (operation.variableDefinitions ?? []).map(definition => {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type)
    if (!isInputType(type)) throw new Error(`$${name} has no type of the supergraph`)
    return { name, type }
  })
}

function rootOf({ selectionSet }: OperationDefinitionNode): string[] {
  const [field] = selectionSet.selections
  return field?.kind === Kind.FIELD ? [field.alias?.value ?? field.name.value] : []
}

/** The REST name of a graph name: `ipWhitelist[0]` is `ip_whitelist[0]`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
