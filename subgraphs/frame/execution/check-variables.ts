import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isInputType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql'
import { Problem } from '../../../schema/errors.ts'
import { presented } from './present-graph-error.ts'

/**
 * Says what is wrong with the variables of a request, one error a value, each naming its parameter: `name` for
 * `$input.name`, `id` for `$id`. Empty when they fit.
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
  const faults: GraphQLError[] = []
  coerceInputValue(value, type, (path, _invalid, error) => {
    const place = name === 'input' ? path : [name, ...path]
    const missing = missingField.exec(error.message)?.[1]
    if (missing !== undefined) return void faults.push(fault([...place, missing], `${missing} is required.`))
    faults.push(fault(place, complaintOf(schema, error, nameOf(place))))
  })
  return faults
}

/** How graphql-js says that an input object lacks a field; it says so of the object, not of the field. */
const missingField = /^Field "(\w+)" of required type /

/** What is wrong with a value: our own scalars say it, an enumeration names its values. */
function complaintOf(schema: GraphQLSchema, error: GraphQLError, param: string): string {
  if (error.originalError instanceof Problem) return error.originalError.message
  const enumeration = schema.getType(strangeValue.exec(error.message)?.[1] ?? '')
  if (!isEnumType(enumeration)) return `${param} is not valid: ${error.message}`
  const names = enumeration.getValues().map(({ name }) => name)
  return `${param} must be one of ${names.join(', ')}.`
}

/** How graphql-js says that an enumeration lacks a value. */
const strangeValue = /^Value ".*" does not exist in "(\w+)" enum/s

function fault(path: readonly (string | number)[], text: string): GraphQLError {
  const problem = new Problem('validation_failed', { param: nameOf(path) || undefined, message: text })
  return presented(problem)
}

function nameOf(path: readonly (string | number)[]): string {
  return path.reduce<string>((known, part) => known + spelled(part, known), '')
}

function spelled(part: string | number, known: string): string {
  if (typeof part === 'number') return `[${part}]`
  return known === '' ? part : `.${part}`
}
