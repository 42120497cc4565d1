import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { wordOf } from '../../subgraphs/runtime/enums.ts'
import { snakeCase } from '../rest/compile-route.ts'
import { isIdAlone } from '../rest/present-answer.ts'
import { rulesOf } from './input-rules.ts'
import { type JsonObject, orNull } from './json-schema.ts'
import { type Records, record } from './records.ts'

/**
 * Exclusive maximum of the absolute value of an amount, in US dollars. A double represents all cents of smaller
 * amounts.
 */
const maxDollars = 1e15

/** The schemas of the graph's scalars in REST. */
const scalars: Readonly<Record<string, JsonObject>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Count: { type: 'integer' },
  Money: { type: 'number', exclusiveMinimum: -maxDollars, exclusiveMaximum: maxDollars },
  Rate: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  JSON: {},
}

/** The schema of an ID that is a UUID. */
export const uuid: JsonObject = {
  type: 'string',
  format: 'uuid',
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
}

/** The types whose IDs are UUIDs. Other IDs are opaque to clients. */
const typesWithUuids = new Set([
  'Account',
  'User',
  'ApiKey',
  'ByokCredential',
  'BalanceAlert',
  'Budget',
  'ActiveSession',
])

/** Returns the schema of REST values for an input type of the graph. Throws for an unknown scalar. */
export function inputSchema(type: GraphQLInputType): JsonObject {
  if (isNonNullType(type)) return inputSchema(type.ofType)
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType) }
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return leafSchema(named)
  const fields = Object.values(named.getFields())
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(field => {
        const value = { ...inputSchema(field.type), ...rulesOf(named.name, field.name) }
        const schema = described(value, field.description)
        return [snakeCase(field.name), isNonNullType(field.type) ? schema : orNull(schema)]
      }),
    ),
    required: fields
      .filter(field => isNonNullType(field.type) && field.defaultValue === undefined)
      .map(({ name }) => snakeCase(name)),
    additionalProperties: false,
  }
}

/** The context of the schemas of a response. */
export interface AnswerContext {
  records: Records
  /**
   * The name of the operation, as a type. It distinguishes records of the same type for which operations select
   * different fields.
   */
  operation: string
  /** Fields that are omitted from the response if they are null. */
  omitNulls?: readonly string[] | undefined
}

/**
 * Returns the schema of the object that REST returns for a selection whose fields already have their REST names. Fields
 * of other subgraphs are nullable in the graph and in the schema.
 */
export function objectSchema(
  type: GraphQLOutputType,
  selection: SelectionSetNode,
  { omitNulls = [], ...context }: AnswerContext,
): JsonObject {
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`Routes can only select fields of objects, not of ${named.name}`)
  const all = named.getFields()
  const properties = selection.selections.flatMap(node => {
    const field = node.kind === Kind.FIELD ? all[node.name.value] : undefined
    return node.kind === Kind.FIELD && field
      ? [[node.alias?.value ?? node.name.value, fieldSchema(named, { field, node }, context)] as const]
      : []
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name).filter(name => !omitNulls.includes(name)),
  }
}

/** Returns the schema of one field of a response. */
export function fieldSchema(
  parent: GraphQLObjectType,
  { field, node }: { field: GraphQLField<unknown, unknown>; node: FieldNode },
  context: AnswerContext,
): JsonObject {
  const isUuid = field.name === 'id' && typesWithUuids.has(parent.name)
  const schema = described(isUuid ? uuid : valueSchema(field.type, node, context), field.description)
  return isNonNullType(field.type) ? schema : orNull(schema)
}

/** Returns the schema of a field's values, without null. Objects are records, named after their type. */
export function valueSchema(type: GraphQLOutputType, node: FieldNode, context: AnswerContext): JsonObject {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return { type: 'array', items: valueSchema(nullable.ofType, node, context) }
  const { name } = getNamedType(nullable)
  if (!node.selectionSet) return leafSchema(getNamedType(nullable))
  if (isIdAlone(node.selectionSet)) return typesWithUuids.has(name) ? uuid : { type: 'string' }
  const schema = objectSchema(nullable, node.selectionSet, context)
  const detail = context.operation.startsWith('Read') ? [`${name}Detail`] : []
  return record(context.records, [name, ...detail, `${context.operation}${name}`], schema)
}

function leafSchema(type: { name: string }): JsonObject {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => wordOf(name)) }
  const schema = scalars[type.name]
  if (!schema) throw new Error(`gateway/openapi does not know the scalar ${type.name}`)
  return schema
}

function described(schema: JsonObject, description: string | null | undefined): JsonObject {
  return description ? { ...schema, description } : schema
}
