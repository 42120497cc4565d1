import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
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
    const text = error.originalError instanceof Problem ? error.originalError.message : error.message
    faults.push(fault(place, text))
  })
  return faults
}

/** How graphql-js says that an input object lacks a field; it says so of the object, not of the field. */
const missingField = /^Field "(\w+)" of required type /

function fault(path: readonly (string | number)[], text: string): GraphQLError {
  const param = path.reduce<string>((known, part) => known + spelled(part, known), '')
  const problem = new Problem('validation_failed', { param: param || undefined, message: text })
  return presented(problem)
}

function spelled(part: string | number, known: string): string {
  if (typeof part === 'number') return `[${part}]`
  return known === '' ? part : `.${part}`
}
