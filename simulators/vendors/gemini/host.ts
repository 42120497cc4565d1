import { Refusal } from '../../server/exchange.ts'
import type { JsonRecord } from '../../server/json.ts'
import type { Mismatch } from '../../server/shape.ts'
import type { ChatHost } from '../answer-chat.ts'
import type { Failure } from '../faults.ts'
import { checkKey } from '../host.ts'

const statusNames: Readonly<Record<number, string>> = {
  ...{ 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' },
  ...{ 409: 'ABORTED', 429: 'RESOURCE_EXHAUSTED', 499: 'CANCELLED', 500: 'INTERNAL' },
  ...{ 501: 'UNIMPLEMENTED', 503: 'UNAVAILABLE', 504: 'DEADLINE_EXCEEDED' },
}

/** An error in Google's format. The name of the status follows from the code. */
export function refuse(code: number, message: string, details?: JsonRecord[]): Refusal {
  const status = statusNames[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL')
  return new Refusal({
    status: code,
    body: { error: { code, message, status, ...(details && { details }) } },
  })
}

/** Google's error for a body that does not match its shape. */
export function refuseMismatch({ path, message }: Mismatch): Refusal {
  return refuseField(message, path.join('.'))
}

export function refuseField(description: string, field: string): Refusal {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
  ]
  return refuse(400, `Invalid value at '${field}': ${description}`, details)
}

/** Google's error for a failure that is not caused by the request. */
export function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'key') return refuseKey()
  if (kind === 'too-long')
    return refuse(
      400,
      'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    )
  if (kind === 'quota' || status === 429) return refuseQuota(model, retryAfterMs)
  if (status === 404) return refuse(404, `models/${model} is not found for API version v1beta.`)
  return refuse(status, messages[status] ?? `The request failed with status ${status}.`)
}

const overloaded = 'The model is overloaded. Please try again later.'
const messages: Readonly<Record<number, string>> = {
  401: 'Request had invalid authentication credentials.',
  403: 'The caller does not have permission',
  500: 'An internal error has occurred.',
  503: overloaded,
  504: 'Deadline expired before operation could complete.',
}

/** Google answers an unknown key with 400, not 401. */
function refuseKey(): Refusal {
  return refuse(400, 'API key not valid. Please pass a valid API key.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ])
}

/** The body contains the retry delay; Google sends no header for it. */
function refuseQuota(model: string, retryAfterMs: number): Refusal {
  const message = `You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_requests, limit: 50, model: ${model}. Please retry in ${retryAfterMs / 1000}s.`
  return refuse(429, message, [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: '50' }],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterMs / 1000}s` },
  ])
}

/** Google as the host of its models. A key is in a header or in the query. */
export const geminiHost: ChatHost = {
  authenticate: ({ request, query }) =>
    checkKey(String(request.headers['x-goog-api-key'] ?? query.get('key')), refuseFailure),
  refuseFailure,
  errorInAnswer: refuse(503, overloaded).answer.body,
}
