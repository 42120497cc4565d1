import { type ErrorName, errorCatalogue, type Problem } from '../../../schema/errors.ts'

/** An error as clients of the Messages protocol read it; `code` and `msg` are the contract's own words beside it. */
export interface MessagesError {
  status: number
  body: {
    type: 'error'
    error: { type: string; message: string; code: string; param: string | null }
    request_id: string
    code: number
    msg: string
  }
  /** False where trying again cannot help: clients try again by themselves. */
  shouldRetry: boolean | undefined
}

/** The status by which these clients know that a vendor or this process is too busy. */
const overloadedStatus = 529
const overloadedNames: ReadonlySet<ErrorName> = new Set(['upstream_busy', 'overloaded'])

const types: Partial<Record<number, string>> = {
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

/** Clients wait at most so long for a limit before they try again. */
const longestWaitSeconds = 60

/** Presents a problem in this protocol's shape (docs/clients.md: errors of the Messages protocol). */
export function presentProblem(problem: Problem, requestId: string): MessagesError {
  const status = overloadedNames.has(problem.errorName) ? overloadedStatus : problem.status
  const message =
    problem.errorName === 'context_length_exceeded' ? tellLength(problem.message) : problem.message
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const { param = null } = problem.details
  return {
    status,
    body: {
      type: 'error',
      error: { type, message, code: problem.code, param },
      request_id: requestId,
      code: status,
      msg: message,
    },
    shouldRetry: problem.details.shouldRetry ?? (isFinal(problem) ? false : undefined),
  }
}

/** A key that is refused, money that is spent, a limit that is not renewed before long. */
function isFinal({ status, errorName, details }: Problem): boolean {
  if (errorName === 'rate_limit_exceeded') return (details.retryAfterSeconds ?? 0) > longestWaitSeconds
  return status === 401 || errorCatalogue[errorName].type === 'insufficient_quota'
}

/**
 * Clients know by these words that a conversation is too long, and shorten it. Vendors say it in other words, but
 * most with both numbers: the longer is the prompt's.
 */
function tellLength(message: string): string {
  if (/prompt is too long|exceed context limit/.test(message)) return message
  const numbers = [...message.matchAll(/\d[\d,]{2,14}/g)].map(([text]) => Number(text.replaceAll(',', '')))
  const prompt = Math.max(...numbers)
  const limit = Math.max(...numbers.filter(number => number < prompt))
  return Number.isFinite(limit)
    ? `prompt is too long: ${prompt} tokens > ${limit} maximum`
    : `prompt is too long: ${message}`
}
