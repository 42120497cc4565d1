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
import { Problem } from '../../../schema/errors.ts'
import { checkText } from './check-text.ts'
import { fault, nameOf, type Place } from './name-fault.ts'

/** Faults that are told of one variable. */
const mostFaults = 20

/**
 * Says what is wrong with the variables of a request, one error a value, each naming its parameter: `name` for
 * `$input.name`, `id` for `$id`. Of one variable the first twenty are told. Empty when they fit.
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
  const faults = checkText(value, own).slice(0, mostFaults)
  try {
    coerceInputValue(value, type, (path, _invalid, error) => {
      if (faults.length >= mostFaults) throw enough // each of thousands would cost as much as a request
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
  return fault(place, complaintOf(typeAt(type, path), error, nameOf(place)))
}

/** How graphql-js says that an input object lacks a field, or has one too many; it says so of the object. */
const missingField = /^Field "(\w+)" of required type /
const unknownField = /^Field "([^"]+)" is not defined by type /

/** What is wrong with a value: our own scalars say it, an enumeration names its values, others what they take. */
function complaintOf(type: GraphQLInputType | undefined, error: GraphQLError, param: string): string {
  if (error.originalError instanceof Problem) return error.originalError.message
  const named = getNamedType(type)
  if (isEnumType(named)) {
    const names = named.getValues().map(({ name }) => name)
    return `${param} must be one of ${names.join(', ')}.`
  }
  return `${param} must be ${named ? (takenBy[named.name] ?? 'set') : 'valid'}.`
}

/** What the types of GraphQL itself take. */
const takenBy: Readonly<Record<string, string>> = {
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
