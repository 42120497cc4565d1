import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
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
import { type JsonObject, orNull } from './json-schema.ts'

/** How REST shows the scalars of the graph. */
const scalars: Readonly<Record<string, JsonObject>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Count: { type: 'integer', minimum: 0 },
  Money: { type: 'number' },
  Rate: { type: 'number' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  JSON: {},
}

/** The schema of a value that REST takes for an input type of the graph. Throws for a scalar that it does not know. */
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
        const schema = described(inputSchema(field.type), field.description)
        return [snakeCase(field.name), isNonNullType(field.type) ? schema : orNull(schema)]
      }),
    ),
    required: fields
      .filter(field => isNonNullType(field.type) && field.defaultValue === undefined)
      .map(({ name }) => snakeCase(name)),
    additionalProperties: false,
  }
}

/**
 * The schema of what REST answers for a selection of an object: its fields have REST's names already. Fields of other
 * subgraphs are nullable in the graph; so they are here.
 */
export function outputSchema(type: GraphQLOutputType, selection: SelectionSetNode): JsonObject {
  if (isNonNullType(type)) return outputSchema(type.ofType, selection)
  if (isListType(type)) return { type: 'array', items: outputSchema(type.ofType, selection) }
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`Rows select fields of objects alone, not of ${named.name}`)
  const all = named.getFields()
  const properties = selection.selections.flatMap(node => {
    const field = node.kind === Kind.FIELD ? all[node.name.value] : undefined
    return node.kind === Kind.FIELD && field
      ? [[node.alias?.value ?? node.name.value, fieldSchema(field, node)]]
      : []
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => String(name)),
  }
}

/** The schema of one field of an answer. */
export function fieldSchema(field: GraphQLField<unknown, unknown>, node: FieldNode): JsonObject {
  const schema = described(valueSchema(field.type, node), field.description)
  return isNonNullType(field.type) ? schema : orNull(schema)
}

/** The same of its values, whether or not it may be null. */
export function valueSchema(type: GraphQLOutputType, node: FieldNode): JsonObject {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return { type: 'array', items: valueSchema(nullable.ofType, node) }
  if (!node.selectionSet) return leafSchema(getNamedType(nullable))
  if (isIdAlone(node.selectionSet)) return { type: 'string' }
  return outputSchema(nullable, node.selectionSet)
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
