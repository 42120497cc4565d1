import type { IncomingMessage } from 'node:http'
import { readBearer } from '../../../domain/callers/caller.ts'
import { errorCatalogue } from '../../../schema/error-catalogue.ts'
import { type ErrorName, Problem } from '../../../schema/errors.ts'

/**
 * Whether a client uses the Messages protocol: it calls the protocol's path, or sends a version of the protocol. On
 * every path, it can send its key in `x-api-key`, and gets errors in the protocol's shape.
 */
export function speaksMessages({
  path,
  headers,
}: {
  path: string
  headers: IncomingMessage['headers']
}): boolean {
  return /^\/v1\/messages(?=[/?]|$)/.test(path) || headers['anthropic-version'] !== undefined
}

/**
 * Returns the Authorization header of such a client, or an equivalent one with the key in `x-api-key`. Agents send
 * both, with the same key. Throws `no_access` if the keys differ, or if one of the headers is repeated.
 */
export function readAuthorization({ headersDistinct }: IncomingMessage): string | undefined {
  const { authorization = [], 'x-api-key': keys = [] } = headersDistinct
  if (authorization.length > 1 || keys.length > 1) throw new Problem('no_access')
  const [bearer] = authorization
  const key = keys[0]?.trim()
  if (!key) return bearer
  if (bearer !== undefined && readBearer(bearer) !== key) throw new Problem('no_access')
  return `Bearer ${key}`
}

/** An error in the protocol's shape, with the fields `code` and `msg` of all errors of this service. */
export interface MessagesError {
  status: number
  body: {
    type: 'error'
    error: {
      type: string
      message: string
      code: string
      param: string | null
      /** Clients branch on `error_code`. */
      details?: { error_code: string }
    }
    request_id: string
    code: number
    msg: string
  }
  /** Whether clients should retry (`x-should-retry`). They retry automatically unless it is false. */
  shouldRetry: boolean | undefined
}

/** Presents a problem to a client of the Messages protocol (docs/clients.md, Anthropic SDK). */
export function presentMessagesProblem(problem: Problem, requestId: string): MessagesError {
  const { errorName, details } = problem
  const status = overloadedNames.has(errorName) ? overloadedStatus : problem.status
  const message = errorName === 'context_length_exceeded' ? tooLongMessage(problem.message) : problem.message
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const { param = null } = details
  return {
    status,
    body: {
      type: 'error',
      error: {
        type,
        message,
        code: problem.code,
        param,
        ...(detailedNames.has(errorName) && { details: { error_code: errorName } }),
      },
      request_id: requestId,
      code: status,
      msg: message,
    },
    shouldRetry: details.shouldRetry ?? (isFinal(problem) ? false : undefined),
  }
}

/** Anthropic's status for an overload, of a vendor or of this process. */
const overloadedStatus = 529
const overloadedNames: ReadonlySet<ErrorName> = new Set(['upstream_busy', 'overloaded'])

/** Errors that Anthropic's clients recognize by `error.details.error_code`, with Anthropic's names. */
const detailedNames: ReadonlySet<ErrorName> = new Set(['thread_unsupported_request'])

const errorTypes: Partial<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  [overloadedStatus]: 'overloaded_error',
}

/** Whether a retry cannot succeed: the key is invalid, or credits are insufficient. */
function isFinal({ status, errorName }: Problem): boolean {
  return status === 401 || errorCatalogue[errorName].type === 'insufficient_quota'
}

/**
 * Returns the message that makes clients shorten a conversation: "prompt is too long". Other vendors use other texts,
 * but most contain both numbers, of which the larger is the prompt's length.
 */
function tooLongMessage(message: string): string {
  if (/prompt is too long|exceed context limit/.test(message)) return message
  const numbers = [...message.matchAll(/\d[\d,]{2,14}/g)].map(([text]) => Number(text.replaceAll(',', '')))
  const prompt = Math.max(...numbers)
  const limit = Math.max(...numbers.filter(number => number < prompt))
  return Number.isFinite(limit)
    ? `prompt is too long: ${prompt} tokens > ${limit} maximum`
    : `prompt is too long: ${message}`
}
