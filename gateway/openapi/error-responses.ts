import { errorCatalogue } from '../../schema/error-catalogue.ts'
import type { JsonObject } from './json-schema.ts'

const codes = Object.keys(errorCatalogue)
const types = [...new Set(Object.values(errorCatalogue).map(({ type }) => type))]

const faultFields: JsonObject = {
  code: { type: 'integer', description: 'The HTTP status.' },
  msg: { type: 'string', description: 'The error message.' },
}

const errorFields: JsonObject = {
  message: { type: 'string', description: 'The error message.' },
  code: {
    type: ['string', 'null'],
    description:
      "The error code. If the vendor's code is more specific, it is returned instead of a code of this API.",
    examples: codes,
  },
  param: {
    type: ['string', 'null'],
    description: 'The invalid parameter, for example `messages[0].content`. Null for other errors.',
  },
}

/**
 * The bodies of errors (docs/behaviour.md, Errors): the format of this API, and Anthropic's format with the same fields
 * added.
 */
export const errorSchemas: Readonly<Record<string, JsonObject>> = {
  Problem: {
    type: 'object',
    properties: {
      ...faultFields,
      error: {
        type: 'object',
        properties: { ...errorFields, type: { type: 'string', description: `One of ${types.join(', ')}.` } },
        required: ['message', 'type', 'code', 'param'],
      },
    },
    required: ['code', 'msg'],
  },
  MessageProblem: {
    type: 'object',
    properties: {
      type: { type: 'string', const: 'error' },
      error: {
        type: 'object',
        properties: {
          ...errorFields,
          type: {
            type: 'string',
            description: "Anthropic's error type for the status, for example `overloaded_error`.",
          },
          details: {
            type: 'object',
            properties: { error_code: { type: 'string' } },
            required: ['error_code'],
          },
        },
        required: ['type', 'message', 'code', 'param'],
      },
      request_id: { type: 'string', description: "The request's ID, which the request log also has." },
      ...faultFields,
    },
    required: ['type', 'error', 'request_id', 'code', 'msg'],
  },
}

/** The errors of an operation in addition to the errors of every operation. */
export interface Failures {
  hasBody: boolean
  /** Whether the operation changes something, so that it can conflict with another request. */
  mayConflict: boolean
  /** Whether the operation is under `/v1`, with errors about credits, rate limits and vendors. */
  isInference?: boolean
  /** Whether the operation stores media. */
  storesMedia?: boolean
  /** Whether errors have Anthropic's format. */
  isMessages?: boolean
  /** Other statuses of errors. */
  others?: readonly number[] | undefined
}

/** Returns the responses of errors that an operation may return, by status. */
export function errorResponses(failures: Failures): Record<string, JsonObject> {
  const { hasBody, mayConflict, isInference = false, storesMedia = false, isMessages = false } = failures
  const { others = [] } = failures
  const statuses = [
    400,
    401,
    403,
    ...(isInference ? [402] : []),
    404,
    ...(mayConflict ? [409] : []),
    ...(hasBody ? [408, 413, 415] : []),
    422,
    429,
    500,
    ...(storesMedia ? [501] : []),
    502,
    503,
    ...(isInference ? [504] : []),
    ...(isMessages ? [overloadedStatus] : []),
    ...others,
  ]
  const kind = isMessages ? 'Message' : ''
  return Object.fromEntries(
    statuses.map(status => [String(status), { $ref: `#/components/responses/${kind}${status}` }]),
  )
}

/** Anthropic's status for an overload (`protocols/messages/client.ts`). */
const overloadedStatus = 529

/** Returns a response for each status of the error catalogue, in the format of this API and in Anthropic's. */
export function sharedResponses(): Record<string, JsonObject> {
  const byStatus = new Map<number, string[]>()
  for (const [name, { status, text }] of Object.entries(errorCatalogue))
    byStatus.set(status, [...(byStatus.get(status) ?? []), `- \`${name}\`: ${text}`])
  const overloaded = byStatus.get(503)?.filter(line => /^- `(upstream_busy|overloaded)`/.test(line)) ?? []
  const ofMessages = new Map([...byStatus, [overloadedStatus, overloaded]])
  return Object.fromEntries([
    ...[...byStatus].map(([status, lines]) => [
      String(status),
      response(status, { lines, schema: 'Problem' }),
    ]),
    ...[...ofMessages].map(([status, lines]) => [
      `Message${status}`,
      response(status, { lines, schema: 'MessageProblem' }),
    ]),
  ])
}

function response(
  status: number,
  { lines, schema }: { lines: readonly string[]; schema: string },
): JsonObject {
  const mayRetry = status === 429 || status === 503 || status === overloadedStatus
  return {
    description: lines.join('\n'),
    ...(mayRetry && {
      headers: {
        'Retry-After': {
          schema: { type: 'integer' },
          description: 'The time after which to retry, in seconds.',
        },
      },
    }),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  }
}
