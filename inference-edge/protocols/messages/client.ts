import type { IncomingMessage } from 'node:http'
import { readBearer } from '../../../domain/callers/caller.ts'
import { type ErrorName, errorCatalogue, Problem } from '../../../schema/errors.ts'

/**
 * Whether a client speaks the Messages protocol: it calls the protocol's path, or names a version of it. It
 * may send its key in `x-api-key`, and gets errors in the protocol's shape, on every path.
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
 * The Authorization header of such a client, or the same with the key in `x-api-key`. Agents send both, with
 * the same key. Throws `no_access` where the keys differ, or one of the headers comes twice.
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

/** An error in the protocol's shape, with `code` and `msg`, which all errors of this service have. */
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
  /** For the header `x-should-retry`: clients retry by themselves unless it is false. */
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

/** Errors that Anthropic's clients recognise by `error.details.error_code`, under Anthropic's names. */
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

/** Whether a retry cannot help: the key is wrong, or there is no money. */
function isFinal({ status, errorName }: Problem): boolean {
  return status === 401 || errorCatalogue[errorName].type === 'insufficient_quota'
}

/**
 * Clients shorten a conversation when they read "prompt is too long". Other vendors write something else, but
 * most with both numbers, of which the larger is the prompt's.
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
