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
import { printPath, type ValuePath } from '../../schema/value-path.ts'
import { presented } from './present-error.ts'

/** Maximum number of errors that are reported for one variable. */
const maxFaults = 20

/**
 * Checks the variables of a request against their types. Returns an error for each invalid value, at most 20 per
 * variable. Each error names its parameter: `name` for `$input.name`, `id` for `$id`.
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
      if (faults.length >= maxFaults) throw tooManyFaults // Thousands of errors would each cost as much as a request.
      faults.push(faultOf(type, path, { own, error }))
    })
  } catch (error) {
    if (error !== tooManyFaults) throw error
  }
  return faults
}

const tooManyFaults = new Error('too many faults')

function faultOf(
  type: GraphQLInputType,
  inner: ValuePath,
  { own, error }: { own: ValuePath; error: GraphQLError },
): GraphQLError {
  const path = [...own, ...inner]
  const missing = missingField.exec(error.message)?.[1]
  if (missing !== undefined) return fault([...path, missing], `${missing} is required.`)
  const unknown = unknownField.exec(error.message)?.[1]
  if (unknown !== undefined) return fault([...path, unknown], `${unknown} is not known.`)
  return fault(path, messageFor(typeAt(type, inner), error, printPath(path)))
}

/** Find the name of a missing or unknown field. graphql-js reports it at the input object around it. */
const missingField = /^Field "(\w+)" of required type /
const unknownField = /^Field "([^"]+)" is not defined by type /

/**
 * Returns the message for an invalid value. Scalars of this graph have their own messages; for an enumeration, its
 * values are listed.
 */
export function messageFor(type: GraphQLInputType | undefined, error: GraphQLError, param: string): string {
  if (error.originalError instanceof Problem) return error.originalError.message
  const name = param || 'input'
  const named = getNamedType(type)
  if (isEnumType(named)) {
    const names = named.getValues().map(value => value.name)
    return `${name} must be one of ${names.join(', ')}.`
  }
  return `${name} must be ${named ? (expectedOf[named.name] ?? 'set') : 'valid'}.`
}

/** The values that GraphQL's built-in types accept. */
const expectedOf: Readonly<Record<string, string>> = {
  String: 'text',
  ID: 'text',
  Boolean: 'true or false',
  Int: 'a whole number of at most 2147483647',
  Float: 'a number',
}

/** Returns the type of a nested value. */
function typeAt(type: GraphQLInputType, [part, ...more]: ValuePath): GraphQLInputType | undefined {
  if (part === undefined) return type
  const nullable = getNullableType(type)
  if (isListType(nullable)) return typeAt(nullable.ofType, more)
  const field = isInputObjectType(nullable) ? nullable.getFields()[part] : undefined
  return field && typeAt(field.type, more)
}

/** Maximum nesting depth of values. Input types of the graph are much flatter. */
const maxDepth = 64

/** Returns an error for each string or field name in a value that Postgres cannot store (see `isText`). */
export function checkText(value: unknown, path: ValuePath): GraphQLError[] {
  if (typeof value === 'string') return isText(value) ? [] : [notText(path)]
  if (typeof value !== 'object' || value === null) return []
  if (path.length > maxDepth)
    return [
      fault(path.slice(0, 1), `The value is nested too deeply. At most ${maxDepth} levels are allowed.`),
    ]
  if (Array.isArray(value)) return value.flatMap((item, index) => checkText(item, [...path, index]))
  return Object.entries(value).flatMap(([name, item]) =>
    isText(name) ? checkText(item, [...path, name]) : [notText(path)],
  )
}

/** Returns the error for a string that cannot be stored. */
export function notText(path: ValuePath): GraphQLError {
  return fault(path, `${printPath(path)} must be text without U+0000 and unpaired surrogates.`)
}

/** Returns a `validation_failed` error that names the parameter at `path`, with the location of `at`. */
export function fault(path: ValuePath, text: string, at?: GraphQLError): GraphQLError {
  return presented(
    new Problem('validation_failed', { param: printPath(path) || undefined, message: text }),
    at,
  )
}
