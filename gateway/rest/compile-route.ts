import {
  type ArgumentNode,
  type ASTNode,
  BREAK,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isRequiredInputField,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  visit,
} from 'graphql'
import { compilePresenter, type Present } from './present-answer.ts'
import type { Route } from './routes/route.ts'

/** A route compiled against the supergraph. */
export interface CompiledRoute {
  route: Route
  /** The document, with an alias of the REST name for every field. */
  document: DocumentNode
  variables: Variable[]
  /** Whether the route has a JSON body. An optional body has no required field. */
  takesBody: 'required' | 'optional' | 'none'
  /** The path of the response in the result. */
  answer: readonly string[]
  present: Present
  /** The field names of a list's items, if the response has the list as `data`. */
  itemFields: readonly string[]
  /** The REST names of arguments that a variable sets: `filter.search` is `search`. */
  params: ReadonlyMap<string, string>
}

export interface Variable {
  name: string
  type: GraphQLInputType
}

/** Compiles a route. Throws if its document is not exactly one operation with types of the supergraph. */
export function compileRoute(schema: GraphQLSchema, route: Route): CompiledRoute {
  const document = withRestNames(parse(route.document, { noLocation: true }))
  const [operation, ...more] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || more.length > 0)
    throw new Error(`${route.method} ${route.path} must be one operation`)
  const variables = variablesOf(schema, operation)
  return {
    route,
    document,
    variables,
    takesBody: takesBody(route, variables),
    answer: route.answer ?? rootOf(operation),
    present: compilePresenter(schema, document),
    params: paramsOf(document),
    itemFields: itemFieldsOf(document),
  }
}

function itemFieldsOf(document: DocumentNode): string[] {
  const names: string[] = []
  visit(document, {
    Field(node) {
      if (node.alias?.value !== 'data') return undefined
      for (const item of node.selectionSet?.selections ?? [])
        if (item.kind === Kind.FIELD) names.push(item.alias?.value ?? item.name.value)
      return BREAK
    },
  })
  return names
}

/**
 * Maps paths of arguments to names of variables. Errors name arguments by path, but REST clients know the variables.
 */
function paramsOf(document: DocumentNode): ReadonlyMap<string, string> {
  const params = new Map<string, string>()
  visit(document, {
    Variable(node, _key, parent, _path, ancestors) {
      const around = parent ? [...ancestors, parent] : ancestors
      const names = around.flatMap(it => ('kind' in it && isNamedInput(it) ? [it.name.value] : []))
      if (names.length > 0) params.set(names.join('.'), node.name.value)
    },
  })
  return params
}

function isNamedInput(node: ASTNode): node is ArgumentNode | ObjectFieldNode {
  return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD
}

/** Adds an alias to each field without one: the field's name in snake_case. */
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

function takesBody({ method, path, headers = {} }: Route, variables: readonly Variable[]) {
  const input = variables.find(({ name }) => name === 'input')
  if (!input) return 'none'
  const type = getNullableType(input.type)
  const elsewhere = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  for (const field of Object.values(headers)) elsewhere.add(field)
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : []
  const needsField = fields.some(
    field =>
      isRequiredInputField(field) && !elsewhere.has(field.name) && !elsewhere.has(snakeCase(field.name)),
  )
  return needsField || method !== 'POST' ? 'required' : 'optional'
}

function rootOf({ selectionSet }: OperationDefinitionNode): string[] {
  const [field] = selectionSet.selections
  return field?.kind === Kind.FIELD ? [field.alias?.value ?? field.name.value] : []
}

/** Returns the REST name of a graph name: `ipWhitelist[0]` is `ip_whitelist[0]`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
