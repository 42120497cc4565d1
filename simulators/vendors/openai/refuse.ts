import type { OutgoingHttpHeaders } from 'node:http'
import type { Trouble } from '../faults/meet-fault.ts'
import { Refusal } from '../server/refusal.ts'

interface ErrorDetails {
  readonly param?: string | null
  readonly code?: string | null
  readonly type?: string
  readonly headers?: OutgoingHttpHeaders
}

/** An error in OpenAI's shape; `invalid_request_error` unless another type is given. */
export function refuse(status: number, message: string, details: ErrorDetails = {}): Refusal {
  const { param = null, code = null, type = 'invalid_request_error', headers } = details
  return new Refusal({ status, headers, body: { error: { message, type, param, code } } })
}

/** What OpenAI says of trouble that is not in the request itself. */
export function refuseTrouble({ kind, status, model, retryAfterMs }: Trouble): Refusal {
  if (kind === 'too-long') {
    const message =
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens. Please reduce the length of the messages."
    return refuse(400, message, { param: 'messages', code: 'context_length_exceeded' })
  }
  if (kind === 'quota') {
    const message =
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.'
    return refuse(429, message, { type: 'insufficient_quota', code: 'insufficient_quota' })
  }
  if (status === 401) return refuse(401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
  if (status === 404) return refuseModel(model)
  if (status === 429) return refuseRate(model, retryAfterMs)
  if (status < 500) return refuse(status, `The request was refused with status ${status}.`)
  if (status === 503)
    return refuse(503, 'That model is currently overloaded with other requests. Sorry about that!', {
      type: 'server_error',
    })
  return refuse(status, 'The server had an error while processing your request. Sorry about that!', {
    type: 'server_error',
  })
}

export function refuseModel(model: string): Refusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`
  return refuse(404, message, { code: 'model_not_found' })
}

function refuseRate(model: string, retryAfterMs: number): Refusal {
  const seconds = retryAfterMs / 1000
  const message = `Rate limit reached for ${model} in organization org-sim on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in ${seconds}s. Visit https://platform.openai.com/account/rate-limits to learn more.`
  const headers = {
    'retry-after': String(Math.ceil(seconds)),
    'retry-after-ms': String(retryAfterMs),
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': `${seconds}s`,
  }
  return refuse(429, message, { type: 'requests', code: 'rate_limit_exceeded', headers })
}
