import { Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import type { JsonRecord } from '../../server/json.ts'
import type { Mismatch } from '../../server/shape.ts'

const statusNames: Readonly<Record<number, string>> = {
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

/** An error in Google's format. The name of the status follows from the code. */
export function refuse(code: number, message: string, details?: JsonRecord[]): Refusal {
  const status = statusNames[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL')
  return new Refusal({
    status: code,
    body: { error: { code, message, status, ...(details && { details }) } },
  })
}

/** Google's error for a body that does not match its shape. */
export function refuseMismatch({ kind, path, value, expected, message, isWhole }: Mismatch): Refusal {
  if (isWhole) return refuse(400, message)
  const at = pathOf(path)
  if (kind === 'unknown' || expected === 'undefined') {
    const parent = pathOf(path.slice(0, -1))
    const place = parent === '' ? '' : ` at '${parent}'`
    const name = JSON.stringify(path.at(-1))
    return refuseField(
      parent,
      `Invalid JSON payload received. Unknown name ${name}${place}: Cannot find field.`,
    )
  }
  if (kind === 'rule' || kind === 'bound') return refuseArgument(at, message)
  const type = kind === 'choice' ? 'TYPE_ENUM' : (types[expected] ?? expected)
  return refuseField(at, `Invalid value at '${at}' (${type}), ${JSON.stringify(value)}`)
}

/** Formats a path in snake case: `generation_config.stop_sequences[0]`. */
function pathOf(path: readonly PropertyKey[]): string {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${snakeCase(String(part))}`))
    .join('')
    .replace(/^\./, '')
}

const types: Readonly<Record<string, string>> = {
  ...{ string: 'TYPE_STRING', boolean: 'TYPE_BOOL', number: 'TYPE_FLOAT', int: 'TYPE_INT32' },
  ...{ array: 'repeated', object: 'Message' },
}

function refuseField(field: string, description: string): Refusal {
  const fieldViolations = [{ field, description }]
  return refuse(400, description, [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }])
}

/** Google's error for a field of the right type with an invalid value. */
export function refuseArgument(at: string, message: string): Refusal {
  return refuse(400, `* GenerateContentRequest.${at}: ${message}\n`)
}

/** Google's error for a failure that is not caused by the request. */
export function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'too-long') {
    const message = 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).'
    return refuse(400, message)
  }
  if (kind === 'quota' || status === 429) return refuseQuota(model, retryAfterMs)
  if (status === 404) return refuseModel(model)
  return refuse(status, messages[status] ?? `The request failed with status ${status}.`)
}

const messages: Readonly<Record<number, string>> = {
  401: 'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  403: 'The caller does not have permission',
  500: 'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  503: 'The model is overloaded. Please try again later.',
  504: 'Deadline expired before operation could complete.',
}

/** The error that the fault `error-frame` puts into a body or a frame. */
export const errorInAnswer = JSON.stringify(refuse(503, messages[503] ?? '').body)

export function refuseModel(model: string): Refusal {
  return refuse(
    404,
    `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
  )
}

/** Google answers an unknown key with 400, not 401. */
export function refuseKey(): Refusal {
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
