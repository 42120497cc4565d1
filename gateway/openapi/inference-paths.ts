import { answers, type Operation } from '../../schema/operations/operations.ts'
import { errorResponses } from './error-responses.ts'
import { isObject, type JsonObject, plain } from './json-schema.ts'
import { type Records, record, typeName } from './records.ts'

/** Returns the operations of `/v1` and `/openai/v1`, with the shapes that validate their bodies. */
export function inferencePaths(operations: readonly Operation[], records: Records): Map<string, JsonObject> {
  const paths = new Map<string, JsonObject>()
  for (const operation of operations) {
    const { path, method } = operation
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: describe(operation, records) })
  }
  return paths
}

/** Returns the schemas of responses by name. */
export function answerSchemas(): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(answers).map(([name, shape]) => [name, plain(shape)]))
}

function describe(operation: Operation, records: Records): JsonObject {
  const { name, path, tag, summary, description, request, event, method, errors } = operation
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: [{ apiKey: [] }],
    parameters: [...parametersOf(operation), ...headersOf(operation)],
    ...(request && { requestBody: { required: true, content: bodiesOf(operation, records) } }),
    responses: {
      '200': {
        description: event ? 'The response, or a stream of its events if `stream` is true.' : 'The response.',
        headers: {
          'x-request-id': {
            schema: { type: 'string' },
            description: "The request's ID, which the request log also has.",
          },
        },
        content: answerContent(operation),
      },
      ...(operation.file && { '302': { description: 'The URL of the file, if the vendor hosts it.' } }),
      ...(method === 'DELETE' &&
        operation.answer === 'MediaTask' && {
          '202': {
            description: 'The vendor has not yet confirmed whether the task is cancelled.',
            content: answerContent(operation),
          },
        }),
      ...errorResponses({
        hasBody: request !== undefined,
        mayConflict: method !== 'GET',
        isInference: true,
        storesMedia: method === 'POST' && storingAnswers.has(operation.answer),
        isMessages: path.startsWith('/v1/messages'),
        others: errors,
      }),
    },
  }
}

/** Responses of operations that store media. The response of a file has no schema. */
const storingAnswers = new Set<Operation['answer']>(['Images', 'MediaTask', 'Upload', 'Video', undefined])

function answerContent({ answer, file, event }: Operation): JsonObject {
  return {
    ...(answer && { 'application/json': { schema: reference(answer) } }),
    ...(file && { [file]: { schema: { type: 'string', contentMediaType: file } } }),
    ...(event && { 'text/event-stream': { schema: reference(event) } }),
  }
}

function headersOf({ method, request }: Operation): JsonObject[] {
  const { properties } = plain(request ?? {})
  const choosesModels = isObject(properties) && 'models' in properties
  return [...(method === 'POST' ? [idempotencyKey] : []), ...(choosesModels ? [noFallback] : [])]
}

const noFallback: JsonObject = {
  name: 'x-no-fallback',
  in: 'header',
  required: false,
  schema: { type: 'string', enum: ['true', 'false'] },
  description: 'Whether only one model at one vendor is tried.',
}

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description:
    'The idempotency key. For 24 hours, a request that is repeated with the same key is performed and charged once.',
}

function parametersOf({ path, parameters = {} }: Operation): JsonObject[] {
  return Object.entries(parameters).map(([name, { schema, description, example, isRequired = false }]) => {
    const isInPath = path.includes(`{${name}}`)
    return {
      name,
      in: isInPath ? 'path' : 'query',
      required: isInPath || isRequired,
      schema: plain(schema),
      description,
      ...(example !== undefined && { example }),
    }
  })
}

function bodiesOf(
  { name, request, otherBodies = [], formFile = 'file', example }: Operation,
  records: Records,
): JsonObject {
  const schema = record(records, [`${typeName(name)}Request`], plain(request ?? {}))
  const json = { schema, ...(example && { example: plain(example) }) }
  const others = otherBodies.map(type => {
    if (type !== 'multipart/form-data') return [type, { schema: { type: 'string', contentMediaType: type } }]
    const form = formSchema(plain(request ?? {}), formFile)
    return [type, { schema: record(records, [`${typeName(name)}Form`], form) }]
  })
  return { 'application/json': json, ...Object.fromEntries(others) }
}

/** Returns the schema of a form: the fields of the JSON body, and the content of the file in the field `file`. */
function formSchema(schema: JsonObject, file: string): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const content = { type: 'string', contentMediaType: 'application/octet-stream' }
  return { ...schema, properties: { ...properties, [file]: content } }
}

function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}
