import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { CompiledRoute } from '../rest/compile-route.ts'
import type { PageField } from '../rest/routes/route.ts'
import { fieldSchema, objectSchema, valueSchema } from './graph-schemas.ts'
import { isObject, type JsonObject } from './json-schema.ts'
import { nameOfRecord, type Records, record, typeName } from './records.ts'

/** Returns the schema of the response: the part of the result at the route's path, in the format of `mount-rest.ts`. */
export function answerSchema(
  schema: GraphQLSchema,
  { route, answer }: CompiledRoute,
  { records, operation }: { records: Records; operation: OperationDefinitionNode },
): JsonObject {
  const name = typeName(operation.name?.value ?? '')
  const context = { records, operation: name, omitNulls: route.omitNulls }
  const root = { type: rootOf(schema, operation), selection: operation.selectionSet }
  if (route.pick) {
    const base = answer.reduce((within, key) => into(fieldAt(within, key)), root)
    const picked = route.pick.map(path => {
      const names = path.split('.')
      const holder = names.slice(0, -1).reduce((within, key) => into(fieldAt(within, key)), base)
      const last = names.at(-1) ?? path
      return [last, fieldSchema(holder.type, fieldAt(holder, last), context)] as const
    })
    const required = picked.map(([field]) => field).filter(field => !route.omitNulls?.includes(field))
    const shape = { ...objectOf(picked), required }
    return record(records, [route.record ?? `${name}Answer`, `${name}Answer`], shape)
  }
  if (answer.length === 0)
    return listRecord(objectSchema(root.type, root.selection, context), { records, name })
  const found = lastField(root, answer)
  if (isListType(getNullableType(found.field.type))) return valueSchema(found.field.type, found.node, context)
  const { type, selection } = into(found)
  const shape = objectSchema(type, selection, context)
  if (route.page) return listRecord(pageSchema(shape, route.page), { records, name })
  if (Object.hasOwn(Object(shape.properties), 'data')) return listRecord(shape, { records, name })
  return valueSchema(found.field.type, found.node, context)
}

/** Records a list under the name of its items, for example `TransactionList`. */
function listRecord(schema: JsonObject, { records, name }: { records: Records; name: string }): JsonObject {
  const data = isObject(schema.properties) ? schema.properties.data : undefined
  const array = isObject(data) && Array.isArray(data.anyOf) ? data.anyOf[0] : data
  const item = isObject(array) && isObject(array.items) ? nameOfRecord(array.items) : undefined
  return record(records, [...(item ? [`${item}List`] : []), `${name}Answer`], schema)
}

/** An object type of the result, and its selected fields. */
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

/** Returns the selected field that has this name in the result. */
function fieldAt({ type, selection }: Within, name: string): Selected {
  for (const node of selection.selections) {
    if (node.kind !== Kind.FIELD || (node.alias?.value ?? node.name.value) !== name) continue
    const field = type.getFields()[node.name.value]
    if (field) return { field, node }
  }
  throw new Error(`${type.name} has no field ${name} in the selection`)
}

function lastField(root: Within, [first = '', ...rest]: readonly string[]): Selected {
  return rest.reduce((found, name) => fieldAt(into(found), name), fieldAt(root, first))
}

function into({ field, node }: Selected): Within {
  const type = getNamedType(field.type)
  if (isObjectType(type) && node.selectionSet) return { type, selection: node.selectionSet }
  throw new Error(`${field.name} is not an object`)
}

function objectOf(entries: readonly (readonly [string, JsonObject])[]): JsonObject {
  return { type: 'object', properties: Object.fromEntries(entries), required: entries.map(([name]) => name) }
}

/** Returns the schema of a numbered page in the format of `read-page.ts`. The selection has `data` and `totalCount`. */
function pageSchema({ properties }: JsonObject, shown: readonly PageField[]): JsonObject {
  const data = isObject(properties) ? properties.data : undefined
  if (!isObject(data)) throw new Error('A numbered page must select data')
  return objectOf([['data', data], ...shown.map(name => [name, { type: 'integer', minimum: 0 }] as const)])
}

/**
 * Returns the summary of a route: the graph's description of the mutation, or of the field that is the response. The
 * description of a field that is not a query is a noun phrase, which becomes a sentence.
 */
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
  const isList = isQuery && others.length === 0 && only?.kind === Kind.FIELD && only.alias?.value === 'data'
  const described = isList ? fieldAt(into({ field, node }), 'data').field : field
  const text = described.description ?? getNamedType(described.type).description ?? ''
  return text.replace(/^(The|All) /, phrase => `Returns ${phrase.toLowerCase()}`)
}
