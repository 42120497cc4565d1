import type { OutgoingHttpHeaders } from 'node:http'
import { Refusal } from '../../server/exchange.ts'
import type { Mismatch } from '../../server/shape.ts'
import type { ChatHost } from '../answer-chat.ts'
import type { Failure } from '../faults.ts'
import { bearerHost } from '../host.ts'

interface ErrorDetails {
  readonly param?: string | null
  readonly code?: string | null
  readonly type?: string
  readonly headers?: OutgoingHttpHeaders
}

/** An error in OpenAI's format. The default type is `invalid_request_error`. */
export function refuse(status: number, message: string, details: ErrorDetails = {}): Refusal {
  const { param = null, code = null, type = 'invalid_request_error', headers = {} } = details
  return new Refusal({ status, headers, body: { error: { message, type, param, code } } })
}

export function refuseParam(message: string, param: string): Refusal {
  return refuse(400, message, { param, code: 'invalid_value' })
}

/** OpenAI's error for a body that does not match its shape. `param` names the field: `messages[0].content`. */
export function refuseMismatch({ kind, path, value, message }: Mismatch): Refusal {
  const parts = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
  const param = parts.join('').replace(/^\./, '')
  if (kind === 'unknown')
    return refuse(400, `Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' })
  if (kind === 'missing')
    return refuse(400, `Missing required parameter: '${param}'.`, {
      param,
      code: 'missing_required_parameter',
    })
  const start = kind === 'choice' ? `Invalid value: '${value}'.` : `Invalid '${param}'.`
  return refuseParam(`${start} ${message}`, param)
}

/** OpenAI's error for a failure that is not caused by the request. */
export function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'too-long') {
    const message =
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens."
    return refuse(400, message, { param: 'messages', code: 'context_length_exceeded' })
  }
  if (kind === 'quota') {
    const message = 'You exceeded your current quota, please check your plan and billing details.'
    return refuse(429, message, { type: 'insufficient_quota', code: 'insufficient_quota' })
  }
  if (status === 401) return refuse(401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
  if (status === 404) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`
    return refuse(404, message, { code: 'model_not_found' })
  }
  if (status === 429) return refuseRate(model, retryAfterMs)
  if (status < 500) return refuse(status, `The request failed with status ${status}.`)
  return refuse(status, status === 503 ? overloaded : serverError, { type: 'server_error' })
}

const overloaded = 'That model is currently overloaded with other requests. Sorry about that!'
const serverError = 'The server had an error while processing your request. Sorry about that!'

function refuseRate(model: string, retryAfterMs: number): Refusal {
  const seconds = retryAfterMs / 1000
  const message = `Rate limit reached for ${model} in organization org-sim on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in ${seconds}s.`
  const headers = {
    'retry-after': String(Math.ceil(seconds)),
    'retry-after-ms': String(retryAfterMs),
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': `${seconds}s`,
  }
  return refuse(429, message, { type: 'requests', code: 'rate_limit_exceeded', headers })
}

/** OpenAI as the host of its models. `hosts/compatible.ts` reuses it. */
export const openaiHost: ChatHost = {
  ...bearerHost(refuseFailure),
  errorInAnswer: refuse(500, serverError, { type: 'server_error' }).answer.body,
}
