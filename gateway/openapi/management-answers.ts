import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { CompiledRoute } from '../rest/compile-route.ts'
import type { PageField } from '../rest/routes/route.ts'
import { fieldSchema, outputSchema, valueSchema } from './graph-schemas.ts'
import { isObject, type JsonObject } from './json-schema.ts'

/** The schema of the answer: what is at its path in the result, as `mount-rest.ts` presents it. */
export function answerSchema(
  schema: GraphQLSchema,
  { route, answer }: CompiledRoute,
  operation: OperationDefinitionNode,
): JsonObject {
  const root = { type: rootOf(schema, operation), selection: operation.selectionSet }
  if (route.pick) {
    const base = answer.reduce((within, name) => into(fieldAt(within, name)), root)
    const picked = route.pick.map(path => {
      const names = path.split('.')
      const holder = names.slice(0, -1).reduce((within, name) => into(fieldAt(within, name)), base)
      const name = names.at(-1) ?? path
      return [name, schemaOf(fieldAt(holder, name))] as const
    })
    return objectOf(picked)
  }
  if (answer.length === 0) return outputSchema(root.type, root.selection)
  const { field, node } = lastField(root, answer)
  const shape = valueSchema(field.type, node)
  if (route.page) return pageSchema(shape, route.page)
  return route.omitNulls ? withoutNulls(shape, route.omitNulls) : shape
}

/** An object of the result, and what is selected of it. */
interface Within {
  type: GraphQLObjectType
  selection: SelectionSetNode
}

interface Selected {
  field: GraphQLField<unknown, unknown>
  node: FieldNode
}

function rootOf(schema: GraphQLSchema, operation: OperationDefinitionNode): GraphQLObjectType {
  const root = schema.getRootType(operation.operation)
  if (root) return root
  throw new Error(`The graph has no ${operation.operation}`)
}

/** The selected field that the result has under a name. */
function fieldAt({ type, selection }: Within, name: string): Selected {
  for (const node of selection.selections) {
    if (node.kind !== Kind.FIELD || (node.alias?.value ?? node.name.value) !== name) continue
    const field = type.getFields()[node.name.value]
    if (field) return { field, node }
  }
  throw new Error(`${type.name} has nothing at ${name}`)
}

function lastField(root: Within, [first = '', ...rest]: readonly string[]): Selected {
  return rest.reduce((found, name) => fieldAt(into(found), name), fieldAt(root, first))
}

function into({ field, node }: Selected): Within {
  const type = getNamedType(field.type)
  if (isObjectType(type) && node.selectionSet) return { type, selection: node.selectionSet }
  throw new Error(`${field.name} is no object`)
}

function schemaOf({ field, node }: Selected): JsonObject {
  return fieldSchema(field, node)
}

function objectOf(entries: readonly (readonly [string, JsonObject])[]): JsonObject {
  return { type: 'object', properties: Object.fromEntries(entries), required: entries.map(([name]) => name) }
}

/** A connection of which `data` and `totalCount` are selected, as `read-page.ts` presents it. */
function pageSchema({ properties }: JsonObject, shown: readonly PageField[]): JsonObject {
  const data = isObject(properties) ? properties.data : undefined
  if (!isObject(data)) throw new Error('A page selects data')
  return objectOf([['data', data], ...shown.map(name => [name, { type: 'integer', minimum: 0 }] as const)])
}

/** The fields that are left out where they are null. */
function withoutNulls(schema: JsonObject, names: readonly string[]): JsonObject {
  if (isObject(schema.items)) return { ...schema, items: withoutNulls(schema.items, names) }
  const required = Array.isArray(schema.required) ? schema.required : []
  return { ...schema, required: required.filter(name => !names.includes(String(name))) }
}

/** What the document asks for, in the words of the graph: of the field that the answer is, else of its first field. */
export function summaryOf(
  schema: GraphQLSchema,
  compiled: CompiledRoute,
  operation: OperationDefinitionNode,
): string {
  const root = { type: rootOf(schema, operation), selection: operation.selectionSet }
  const [first] = operation.selectionSet.selections
  if (first?.kind !== Kind.FIELD) return ''
  const name = first.alias?.value ?? first.name.value
  const isQuery = operation.operation === 'query'
  const { field, node } = lastField(root, isQuery && compiled.answer.length > 0 ? compiled.answer : [name])
  const [only, ...others] = node.selectionSet?.selections ?? []
  const isList = others.length === 0 && only?.kind === Kind.FIELD && only.alias?.value === 'data'
  const told = isList ? fieldAt(into({ field, node }), 'data').field : field
  return told.description ?? getNamedType(told.type).description ?? ''
}
