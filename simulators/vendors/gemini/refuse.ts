import type { Trouble } from '../faults/meet-fault.ts'
import type { JsonRecord } from '../json.ts'
import { Refusal } from '../server/refusal.ts'

const words: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** An error in Google's shape; its word follows from the status. */
export function refuse(
  status: number,
  message: string,
  { details, word = wordOf(status) }: { details?: JsonRecord[]; word?: string } = {},
): Refusal {
  const error = { code: status, message, status: word, ...(details && { details }) }
  return new Refusal({ status, body: { error } })
}

/** What Gemini says of trouble that is not in the request itself. */
export function refuseTrouble({ kind, status, model, retryAfterMs }: Trouble): Refusal {
  if (kind === 'too-long') {
    return refuse(
      400,
      'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    )
  }
  if (kind === 'quota' || status === 429) return refuseQuota(model, retryAfterMs)
  if (status === 404) return refuseModel(model)
  return refuse(status, says[status] ?? `The simulator was asked for status ${status}.`)
}

const says: Readonly<Record<number, string>> = {
  401: 'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  403: 'The caller does not have permission',
  500: 'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  503: 'The model is overloaded. Please try again later.',
  504: 'Deadline expired before operation could complete.',
}

export function refuseModel(model: string): Refusal {
  return refuse(
    404,
    `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
  )
}

/** A key that is none is a wrong request to this vendor, not a 401. */
export function refuseKey(): Refusal {
  return refuse(400, 'API key not valid. Please pass a valid API key.', {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
    ],
  })
}

/** When to come back stands in the body; there is no header for it. */
function refuseQuota(model: string, retryAfterMs: number): Refusal {
  const message = `You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_requests, limit: 50, model: ${model}. Please retry in ${retryAfterMs / 1000}s.`
  return refuse(429, message, {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: '50' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterMs / 1000}s` },
    ],
  })
}

function wordOf(status: number): string {
  return words[status] ?? (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL')
}
