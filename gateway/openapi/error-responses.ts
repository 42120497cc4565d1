import { errorCatalogue } from '../../schema/errors.ts'
import type { JsonObject } from './json-schema.ts'

const codes = Object.keys(errorCatalogue)
const types = [...new Set(Object.values(errorCatalogue).map(({ type }) => type))]

/** The bodies of errors (docs/behaviour.md, Errors), and the header that says when to try again. */
export const errorSchemas: Readonly<Record<string, JsonObject>> = {
  Error: {
    type: 'object',
    properties: {
      code: { type: 'integer', description: 'The HTTP status.' },
      msg: { type: 'string', description: 'What is wrong.' },
      error: {
        type: 'object',
        properties: {
          message: { type: 'string', description: 'What is wrong.' },
          type: { type: 'string', description: `One of ${types.join(', ')}.` },
          code: {
            type: ['string', 'null'],
            description: "What to branch on: one of ours, or a vendor's own where that says more.",
            examples: codes,
          },
          param: { type: ['string', 'null'], description: 'The parameter at fault.' },
        },
        required: ['message', 'type', 'code', 'param'],
      },
    },
    required: ['code', 'msg'],
  },
}

/** What a response may fail with beside what all of a group may. */
export interface Failures {
  hasBody: boolean
  /** Of `/v1`: money, the key's rates and vendors. */
  isInference?: boolean
}

/** The responses of errors that an operation may answer, by status, with the codes of each. */
export function errorResponses({ hasBody, isInference = false }: Failures): Record<string, JsonObject> {
  const statuses = [
    400,
    401,
    403,
    ...(isInference ? [402] : []),
    404,
    ...(hasBody ? [408, 409, 413, 415] : []),
    422,
    429,
    500,
    502,
    503,
    ...(isInference ? [504] : []),
  ]
  return Object.fromEntries(
    statuses.map(status => [String(status), { $ref: `#/components/responses/${status}` }]),
  )
}

/** A response for each status of the catalogue of errors. */
export function sharedResponses(): Record<string, JsonObject> {
  const byStatus = new Map<number, string[]>()
  for (const [name, { status, text }] of Object.entries(errorCatalogue))
    byStatus.set(status, [...(byStatus.get(status) ?? []), `- \`${name}\`: ${text}`])
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      String(status),
      {
        description: lines.join('\n'),
        ...((status === 429 || status === 503) && {
          headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Whole seconds.' } },
        }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
