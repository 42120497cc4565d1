import {
  GraphQLBoolean,
  GraphQLFloat,
  type GraphQLInputType,
  GraphQLInt,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { isRecord } from '../../platform/is-record.ts'
import type { Variable } from './compile-route.ts'
import { snakeCase } from './names.ts'

/** What a request carries. */
export interface RestInput {
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The JSON body; undefined where none was read. */
  body: unknown
}

/** The variables of a document from a request, by the one rule for names. What is absent stays absent. */
export function readVariables(variables: readonly Variable[], input: RestInput): Record<string, unknown> {
  const read = variables.map(({ name, type }) => [name, readVariable(name, type, input)] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function readVariable(name: string, type: GraphQLInputType, { path, query, body }: RestInput): unknown {
  if (name === 'input') return fromJson(body, type)
  const parameter = snakeCase(name)
  const own = path[name] ?? path[parameter]
  if (own !== undefined) return own
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const texts = query.getAll(parameter)
    return texts.length > 0 ? texts.map(text => fromText(text, nullable.ofType)) : undefined
  }
  const text = query.get(parameter)
  return text === null ? undefined : fromText(text, nullable)
}

/** A parameter's text as its type reads it. What does not fit stays text, and is refused by the type. */
function fromText(text: string, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  const isNumber = nullable === GraphQLInt || nullable === GraphQLFloat
  if (isNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (nullable === GraphQLBoolean && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** A JSON value with its snake_case names read by the input type's. Fields that the type lacks are left out. */
function fromJson(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable))
    return Array.isArray(value) ? value.map(item => fromJson(item, nullable.ofType)) : value
  if (!isInputObjectType(nullable) || !isRecord(value)) return value
  const fields = Object.values(nullable.getFields())
  const read = fields.map(field => [field.name, fromJson(value[snakeCase(field.name)], field.type)] as const)
  return Object.fromEntries(read.filter(([, item]) => item !== undefined))
}
