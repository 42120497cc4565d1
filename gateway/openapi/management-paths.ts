import { type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql'
import { type CompiledRoute, compileRoute, snakeCase } from '../rest/compile-route.ts'
import { exportFormats } from '../rest/export-pages.ts'
import { accountExportPath, exportPeriod } from '../rest/routes/account-export.ts'
import type { Route } from '../rest/routes/route.ts'
import { errorResponses } from './error-responses.ts'
import { managementExamples } from './examples.ts'
import { isObject, type JsonObject, type JsonValue } from './json-schema.ts'
import { answerSchema, summaryOf } from './management-answers.ts'
import { parametersOf, requestBody } from './management-inputs.ts'
import type { Records } from './records.ts'

/** Returns the operations of `/api/v1`, from the table of routes and the types of the graph. */
export function managementPaths(
  schema: GraphQLSchema,
  { routes, records }: { routes: readonly Route[]; records: Records },
): Map<string, JsonObject> {
  const paths = new Map<string, JsonObject>()
  for (const route of routes) {
    const compiled = compileRoute(schema, route)
    const operation = describe(schema, compiled, records)
    const path = `/api/v1${route.path.replace(/\{(\w+)\}/g, (_, name: string) => `{${snakeCase(name)}}`)}`
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: operation })
    if (route.isExported)
      for (const format of exportFormats)
        paths.set(`${path}.${format}`, { get: exported(operation, { path, format }) })
  }
  paths.set(`/api/v1${accountExportPath}`, { get: accountExport })
  return paths
}

/** The export of an account (docs/closing.md). */
const accountExport: JsonObject = {
  operationId: 'exportAccount',
  tags: ['Account'],
  summary:
    "Exports the data of the account as one file, without secrets. Each line is an object with a `type`. The last line has the type `end` and the number of lines of each type. Requires the rights of an admin or owner, or an operator's view.",
  security: [{ session: [] }, { apiKey: [] }],
  parameters: Object.entries(exportPeriod).map(([name, description]) => ({
    name,
    in: 'query',
    required: false,
    schema: { type: 'string', format: 'date-time' },
    description,
  })),
  responses: fileResponses('application/x-ndjson', { mayConflict: true }),
}

/** Returns the responses of an operation that streams a file. */
function fileResponses(type: string, { mayConflict }: { mayConflict: boolean }): JsonObject {
  return {
    '200': {
      description: 'The file, as a stream. If the connection breaks before the end, the file is incomplete.',
      content: { [type]: { schema: { type: 'string' } } },
    },
    ...errorResponses({ hasBody: false, mayConflict }),
  }
}

function describe(schema: GraphQLSchema, compiled: CompiledRoute, records: Records): JsonObject {
  const { route } = compiled
  const operation = operationOf(compiled)
  const examples = managementExamples.get(nameOf(operation))
  const body = requestBody(compiled, { records, operation: nameOf(operation), example: examples?.body })
  const answer = route.status === 204 ? undefined : answerSchema(schema, compiled, { records, operation })
  const success = {
    description: route.status === 201 ? 'Created.' : route.status === 204 ? 'Done.' : 'The response.',
    ...(answer && { content: { 'application/json': { schema: answer } } }),
  }
  return {
    operationId: nameOf(operation),
    tags: [tagOf(route.path)],
    summary: summaryOf(schema, compiled, operation),
    security: securityOf(route),
    parameters: parametersOf(schema, compiled, operation, examples?.parameters ?? {}),
    ...(body && { requestBody: body }),
    responses: {
      [String(route.status ?? 200)]: success,
      ...errorResponses({ hasBody: body !== undefined, mayConflict: route.method !== 'GET' }),
    },
  }
}

function exported(operation: JsonObject, { path, format }: { path: string; format: string }): JsonObject {
  const { operationId, parameters } = operation
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
  const kept = Array.isArray(parameters) ? parameters.filter(isNoPageSize) : []
  return {
    ...operation,
    operationId: `${operationId}As${format === 'csv' ? 'Csv' : 'Ndjson'}`,
    summary: `Exports all items of \`GET ${path}\` that match the filters, as one file.`,
    parameters: kept,
    responses: fileResponses(type, { mayConflict: false }),
  }
}

function isNoPageSize(parameter: JsonValue): boolean {
  return !isObject(parameter) || parameter.name !== 'first'
}

function operationOf({ document, route }: CompiledRoute): OperationDefinitionNode {
  const [operation] = document.definitions
  if (operation?.kind === Kind.OPERATION_DEFINITION) return operation
  throw new Error(`${route.method} ${route.path} is not an operation`)
}

function nameOf({ name }: OperationDefinitionNode): string {
  if (name) return name.value
  throw new Error('The operation of a route must have a name')
}

const tags: Readonly<Record<string, string>> = {
  auth: 'Sessions',
  me: 'Account',
  operator: 'Operators',
  'api-keys': 'API keys',
  byok: 'BYOK',
  models: 'Models',
  pricing: 'Models',
  billing: 'Billing',
  'audit-log': 'Audit log',
  tasks: 'Tasks and callbacks',
  callbacks: 'Tasks and callbacks',
  'callback-secrets': 'Tasks and callbacks',
  logs: 'Logs and usage',
  usage: 'Logs and usage',
}

function tagOf(path: string): string {
  const [, first = ''] = path.split('/')
  return tags[first] ?? first.replace(/^./, letter => letter.toUpperCase())
}

function securityOf({ caller }: Route): JsonValue {
  if (caller === 'none') return []
  if (caller === 'operator') return [{ operatorKey: [] }]
  if (caller === 'session') return [{ session: [] }]
  return [{ session: [] }, { apiKey: [] }]
}
