import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLFloat,
  type GraphQLInputType,
  GraphQLInt,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { wordOf } from '../../subgraphs/runtime/enums.ts'
import { moneyRule } from '../../subgraphs/runtime/scalars.ts'
import { snakeCase, type Variable } from './compile-route.ts'

/** The input of a request. */
interface RestInput {
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The JSON body. `undefined` if none was read. */
  body: unknown
}

/**
 * Reads the variables of a document from a request. Absent values stay absent. Throws `validation_failed` for a field
 * of the body that cannot be set, and for a value that must be an array.
 */
export function readVariables(variables: readonly Variable[], input: RestInput): Record<string, unknown> {
  const read = variables.map(({ name, type }) => [name, readVariable(name, type, input)] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function readVariable(name: string, type: GraphQLInputType, { path, query, body }: RestInput): unknown {
  if (name === 'input') return inputFrom(body, type, path)
  const parameter = snakeCase(name)
  const own = path[name] ?? path[parameter]
  if (own !== undefined) return own
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const texts = query.getAll(parameter)
    return texts.length > 0 ? texts.map(item => fromText(item, nullable.ofType)) : undefined
  }
  const text = query.get(parameter)
  return text === null ? undefined : fromText(text, nullable)
}

/** Returns the JSON body with the path's parameters. The body cannot set them. */
function inputFrom(body: unknown, type: GraphQLInputType, path: RestInput['path']): unknown {
  const nullable = getNullableType(type)
  if (!isInputObjectType(nullable)) return body
  const inPath = Object.keys(nullable.getFields()).filter(name => path[name] !== undefined)
  const clash = isRecord(body) && inPath.find(name => Object.hasOwn(body, snakeCase(name)))
  if (clash) refuseParam(snakeCase(clash), unknownField)
  const read = fromJson(body === undefined && inPath.length > 0 ? {} : body, type, '')
  return isRecord(read) ? { ...Object.fromEntries(inPath.map(name => [name, path[name]])), ...read } : read
}

const unknownField = 'is not known, or cannot be set here'

/** Parses the text of a parameter by type. Text that does not fit is returned unchanged, and the type refuses it. */
function fromText(text: string, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  const isNumber = nullable === GraphQLInt || nullable === GraphQLFloat
  if (isNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (isEnumType(nullable)) return nameOf(nullable, text)
  if (nullable === GraphQLBoolean && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Converts a JSON value with snake_case names to the names of the input type. */
function fromJson(value: unknown, type: GraphQLInputType, param: string): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    if (value === undefined || value === null) return value
    if (!Array.isArray(value)) refuseParam(param, 'must be an array')
    return value.map((item, index) => fromJson(item, nullable.ofType, `${param}[${index}]`))
  }
  if (isEnumType(nullable)) return typeof value === 'string' ? nameOf(nullable, value) : value
  if (nullable.toString() === 'Money' && typeof value === 'string')
    throw new Problem('validation_failed', { param, message: moneyRule })
  if (!isInputObjectType(nullable) || !isRecord(value)) return value
  const prefix = param === '' ? '' : `${param}.`
  const fields = new Map(Object.values(nullable.getFields()).map(field => [snakeCase(field.name), field]))
  const read = Object.entries(value).map(([name, item]) => {
    const field = fields.get(name) ?? refuseParam(prefix + name, unknownField)
    return [field.name, fromJson(item, field.type, prefix + name)] as const
  })
  return Object.fromEntries(read)
}

/** Returns the name of an enumeration's word, or an empty string, which the enumeration refuses. */
function nameOf(type: GraphQLEnumType, text: string): string {
  return type.getValues().find(({ name }) => wordOf(name) === text)?.name ?? ''
}

/** Replaces the names of enumerations in a message with their REST words. */
export function restWords(message: string, variables: readonly Variable[]): string {
  return variables
    .flatMap(({ type }) => enumsOf(type))
    .reduce((text, type) => {
      const names = type.getValues().map(({ name }) => name)
      return text.replace(names.join(', '), names.map(name => wordOf(name)).join(', '))
    }, message)
}

/** Returns the enumerations of a type and of its fields. */
function enumsOf(type: GraphQLInputType): GraphQLEnumType[] {
  const named = getNamedType(type)
  if (isEnumType(named)) return [named]
  if (!isInputObjectType(named)) return []
  return Object.values(named.getFields())
    .map(field => getNamedType(field.type))
    .filter(isEnumType)
}
