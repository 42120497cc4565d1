import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql'
import { isText } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { presented } from './present-error.ts'

/** The most faults that are reported of one variable. */
const maxFaults = 20

/**
 * Checks the variables of a request against their types. Returns an error for each wrong value, at most
 * twenty a variable, that names its parameter: `name` for `$input.name`, `id` for `$id`. Empty when all are
 * right.
 */
export function checkVariables(
  schema: GraphQLSchema,
  request: {
    document: DocumentNode
    operationName?: string | null | undefined
    variables?: Readonly<Record<string, unknown>> | null | undefined
  },
): GraphQLError[] {
  const operation = getOperationAST(request.document, request.operationName)
  return (operation?.variableDefinitions ?? []).flatMap(definition =>
    faultsOf(schema, definition, request.variables?.[definition.variable.name.value]),
  )
}

function faultsOf(schema: GraphQLSchema, definition: VariableDefinitionNode, value: unknown): GraphQLError[] {
  const type = typeFromAST(schema, definition.type)
  const name = definition.variable.name.value
  if (!isInputType(type)) return []
  if (value === undefined) {
    const required = isNonNullType(type) && definition.defaultValue === undefined
    return required ? [fault([name], `${name} is required.`)] : []
  }
  const own = name === 'input' ? [] : [name]
  const faults = checkText(value, own).slice(0, maxFaults)
  try {
    coerceInputValue(value, type, (path, _invalid, error) => {
      if (faults.length >= maxFaults) throw enough // each of thousands would cost as much as a request
      faults.push(faultOf(type, path, { own, error }))
    })
  } catch (error) {
    if (error !== enough) throw error
  }
  return faults
}

const enough = new Error('enough faults')

function faultOf(
  type: GraphQLInputType,
  path: Place,
  { own, error }: { own: Place; error: GraphQLError },
): GraphQLError {
  const place = [...own, ...path]
  const missing = missingField.exec(error.message)?.[1]
  if (missing !== undefined) return fault([...place, missing], `${missing} is required.`)
  const unknown = unknownField.exec(error.message)?.[1]
  if (unknown !== undefined) return fault([...place, unknown], `${unknown} is not known.`)
  return fault(place, messageFor(typeAt(type, path), error, nameOf(place)))
}

/**
 * graphql-js reports a missing or unknown field at the input object around it; these find the field's name.
 */
const missingField = /^Field "(\w+)" of required type /
const unknownField = /^Field "([^"]+)" is not defined by type /

/** Returns the message for a wrong value. Our own scalars throw theirs, an enumeration lists its values. */
export function messageFor(type: GraphQLInputType | undefined, error: GraphQLError, param: string): string {
  if (error.originalError instanceof Problem) return error.originalError.message
  const name = param || 'input'
  const named = getNamedType(type)
  if (isEnumType(named)) {
    const names = named.getValues().map(({ name }) => name)
    return `${name} must be one of ${names.join(', ')}.`
  }
  return `${name} must be ${named ? (expectedOf[named.name] ?? 'set') : 'valid'}.`
}

/** What GraphQL's built-in types take. */
const expectedOf: Readonly<Record<string, string>> = {
  String: 'text',
  ID: 'text',
  Boolean: 'true or false',
  Int: 'a whole number of at most 2147483647',
  Float: 'a number',
}

/** The type of a value inside another. */
function typeAt(type: GraphQLInputType, [part, ...more]: Place): GraphQLInputType | undefined {
  if (part === undefined) return type
  const nullable = getNullableType(type)
  if (isListType(nullable)) return typeAt(nullable.ofType, more)
  const field = isInputObjectType(nullable) ? nullable.getFields()[part] : undefined
  return field && typeAt(field.type, more)
}

/** Values nested deeper are refused; no input type of the graph comes near. */
const maxDepth = 64

/**
 * Returns an error for each string of a value, or name of a field in it, that Postgres cannot store (see
 * `isText`).
 */
export function checkText(value: unknown, place: Place): GraphQLError[] {
  if (typeof value === 'string') return isText(value) ? [] : [notText(place)]
  if (typeof value !== 'object' || value === null) return []
  if (place.length > maxDepth) return [fault(place.slice(0, 1), 'The value nests too deep.')]
  if (Array.isArray(value)) return value.flatMap((item, index) => checkText(item, [...place, index]))
  return Object.entries(value).flatMap(([name, item]) =>
    isText(name) ? checkText(item, [...place, name]) : [notText(place)],
  )
}

/** The error for a string that cannot be stored. */
export function notText(place: Place): GraphQLError {
  return fault(place, `${nameOf(place)} must be text, without U+0000 and halves of characters.`)
}

/** The path to a value in the variables: names of fields and indexes of lists. */
export type Place = readonly (string | number)[]

/** Returns a `validation_failed` error that names the parameter at `place`, with the location of `at`. */
export function fault(place: Place, text: string, at?: GraphQLError): GraphQLError {
  return presented(new Problem('validation_failed', { param: nameOf(place) || undefined, message: text }), at)
}

/** A path as clients write it: `ipWhitelist[0]`. */
export function nameOf(place: Place): string {
  return place.reduce<string>((known, part) => known + writePart(part, known), '')
}

function writePart(part: string | number, known: string): string {
  if (typeof part === 'number') return `[${part}]`
  return known === '' ? part : `.${part}`
}
