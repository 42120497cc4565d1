import {
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { isUuid } from '../../platform/checks.ts'
import { maxPaged } from '../../subgraphs/runtime/connections.ts'
import { wordOf } from '../../subgraphs/runtime/enums.ts'
import { type CompiledRoute, snakeCase } from '../rest/compile-route.ts'
import type { Route } from '../rest/routes/route.ts'
import { inputSchema, uuid } from './graph-schemas.ts'
import { filterList, pageSize, rulesOf } from './input-rules.ts'
import type { JsonObject, JsonValue } from './json-schema.ts'
import { type Records, record, typeName } from './records.ts'

/** Returns the parameters in path, query and headers: every variable except the body. */
export function parametersOf(
  schema: GraphQLSchema,
  { route, variables }: CompiledRoute,
  operation: OperationDefinitionNode,
  examples: Readonly<Record<string, JsonValue>>,
): JsonObject[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const declarations = declarationsOf(schema, operation)
  const input = getNamedType(variables.find(({ name }) => name === 'input')?.type)
  const inputFields = isInputObjectType(input) ? input.getFields() : {}
  const defaults = new Map(
    operation.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  )
  const numbered = new Set(route.page ? ['first', 'after'] : [])
  const own = variables
    .filter(({ name }) => name !== 'input' && !numbered.has(name))
    .map(({ name, type }) => {
      const given = defaults.get(name)
      const inner = isListType(getNullableType(type)) ? getNamedType(type) : type
      const text = given && print(given).replace(/^\[(.*)\]$/, '$1')
      const value = text && isEnumType(getNamedType(inner)) ? wordOf(text) : text
      const isList = isListType(getNullableType(type))
      return parameter(snakeCase(name), {
        in: inPath.includes(name) ? 'path' : 'query',
        required: inPath.includes(name) || (isNonNullType(type) && given === undefined),
        schema: {
          ...inputSchema(type),
          ...(isList && filterList),
          ...declarations.get(name)?.rules,
          ...(value !== undefined && { default: isList ? [value] : value }),
        },
        description: declarations.get(name)?.description,
        example: examples[snakeCase(name)],
      })
    })
  const missing = inPath
    .filter(name => !variables.some(variable => variable.name === name))
    .map(name =>
      parameter(snakeCase(name), {
        in: 'path',
        required: true,
        schema: isUuid(String(examples[snakeCase(name)])) ? uuid : { type: 'string' },
        description: inputFields[name]?.description ?? undefined,
        example: examples[snakeCase(name)],
      }),
    )
  return [...missing, ...own, ...pageParameters(route), ...headerParameters(route)]
}

function parameter(
  name: string,
  { description, example, ...rest }: JsonObject & { description?: string | undefined },
): JsonObject {
  return {
    name,
    ...rest,
    ...(description && { description }),
    ...(example !== undefined && { example }),
  }
}

function pageParameters({ page }: Route): JsonObject[] {
  if (!page) return []
  return [
    {
      name: 'page',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: maxPaged, default: 1 },
      description: 'The number of the page, starting at 1.',
    },
    {
      name: 'per_page',
      in: 'query',
      required: false,
      schema: { type: 'integer', ...pageSize },
      description: 'The number of items per page.',
    },
  ]
}

function headerParameters({ headers = {} }: Route): JsonObject[] {
  return Object.keys(headers).map(name => ({
    name,
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 255 },
    description:
      'The idempotency key. For 24 hours, a request that is repeated with the same key is performed once.',
  }))
}

/** The description and rules of the argument or input field that a variable sets. */
interface Declaration {
  description: string | undefined
  rules: JsonObject
}

/** Returns the declarations that a document's variables set, by the name of the variable. */
function declarationsOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Map<string, Declaration> {
  const found = new Map<string, Declaration>()
  const info = new TypeInfo(schema)
  visit(
    operation,
    visitWithTypeInfo(info, {
      Variable(node, _key, parent) {
        if (!parent || !('kind' in parent)) return
        if (parent.kind !== Kind.ARGUMENT && parent.kind !== Kind.OBJECT_FIELD) return
        const name = parent.name.value
        const isArgument = parent.kind === Kind.ARGUMENT
        const input = getNamedType(info.getParentInputType())
        const fields = isInputObjectType(input) ? input.getFields() : {}
        const holder = isArgument ? info.getParentType() : input
        const { description } = (isArgument ? info.getArgument() : fields[name]) ?? {}
        found.set(node.name.value, {
          description: description ?? undefined,
          rules: rulesOf(holder?.name ?? '', name),
        })
      },
    }),
  )
  return found
}

/** Returns the request body: the document's `input` without the fields that path and headers set. */
export function requestBody(
  { route, variables, takesBody }: CompiledRoute,
  { records, operation, example }: { records: Records; operation: string; example: JsonValue | undefined },
): JsonObject | undefined {
  const input = variables.find(({ name }) => name === 'input')
  if (!input) return undefined
  const { properties, required, ...rest } = inputSchema(input.type)
  const elsewhere = new Set([
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => snakeCase(name)),
    ...Object.values(route.headers ?? {}),
  ])
  const own = Object.entries(properties ?? {}).filter(([name]) => !elsewhere.has(name))
  const ignored = (route.ignores ?? []).map(name => [
    name,
    { description: 'Ignored. It is accepted so that clients can send a record back unchanged.' },
  ])
  const needed = Array.isArray(required) ? required.filter(name => !elsewhere.has(String(name))) : []
  const schema = { ...rest, properties: Object.fromEntries([...ignored, ...own]), required: needed }
  return {
    required: takesBody === 'required',
    content: {
      'application/json': {
        schema: record(records, [`${typeName(operation)}Request`], schema),
        ...(example !== undefined && { example }),
      },
    },
  }
}
