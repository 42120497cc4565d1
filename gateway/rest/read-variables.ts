import {
  GraphQLBoolean,
  GraphQLFloat,
  type GraphQLInputType,
  GraphQLInt,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import type { Variable } from './compile-route.ts'
import { snakeCase } from './compile-route.ts'

/** What a request carries. */
interface RestInput {
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The JSON body; undefined where none was read. */
  body: unknown
}

/**
 * The variables of a document from a request, by the one rule for names. What is absent stays absent. Throws
 * `validation_failed` for a field of the body that cannot be set, and for what is no array but should be.
 */
export function readVariables(variables: readonly Variable[], input: RestInput): Record<string, unknown> {
  const read = variables.map(({ name, type }) => [name, readVariable(name, type, input)] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function readVariable(name: string, type: GraphQLInputType, { path, query, body }: RestInput): unknown {
  if (name === 'input') return fromJson(body, type, '')
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

/** A JSON value with its snake_case names read by the input type's. */
function fromJson(value: unknown, type: GraphQLInputType, param: string): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    if (value === undefined || value === null) return value
    if (!Array.isArray(value)) refuse(param, 'must be an array')
    return value.map((item, index) => fromJson(item, nullable.ofType, `${param}[${index}]`))
  }
  if (!isInputObjectType(nullable) || !isRecord(value)) return value
  const prefix = param === '' ? '' : `${param}.`
  const fields = new Map(Object.values(nullable.getFields()).map(field => [snakeCase(field.name), field]))
  const read = Object.entries(value).map(([name, item]) => {
    const field = fields.get(name) ?? refuse(prefix + name, 'is not known, or cannot be set here')
    return [field.name, fromJson(item, field.type, prefix + name)] as const
  })
  return Object.fromEntries(read)
}

function refuse(param: string, rule: string): never {
  throw new Problem('validation_failed', { param, message: `${param} ${rule}.` })
}
