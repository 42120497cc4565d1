import type { OutgoingHttpHeaders } from 'node:http'
import type Anthropic from '@anthropic-ai/sdk'
import { Refusal } from '../../server/exchange.ts'
import type { Mismatch } from '../../server/shape.ts'
import type { ChatHost } from '../answer-chat.ts'
import type { Failure } from '../faults.ts'
import { bearerOf, checkKey } from '../host.ts'

const types: Readonly<Record<number, string>> = {
  ...{ 400: 'invalid_request_error', 401: 'authentication_error', 402: 'billing_error' },
  ...{ 403: 'permission_error', 404: 'not_found_error', 409: 'conflict_error', 413: 'request_too_large' },
  ...{ 429: 'rate_limit_error', 500: 'api_error', 504: 'timeout_error', 529: 'overloaded_error' },
}

/** The SDK's type, with any error type: the SDK's list is incomplete. */
type Loose<Body> = Omit<Body, 'error'> & { error: { type: string; message: string } }

/** An error in Anthropic's format. Its type follows from the status. */
export function refuse(status: number, message: string, headers: OutgoingHttpHeaders = {}): Refusal {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const body = {
    type: 'error',
    error: { type, message },
    request_id: 'req_sim',
  } satisfies Loose<Anthropic.ErrorResponse>
  return new Refusal({ status, headers, body })
}

/** Anthropic's error for an invalid field: its path (`messages.0.content`), then the message. */
export function refuseField(message: string, path: string): Refusal {
  return refuse(400, `${path}: ${message}`)
}

/** Anthropic's error for a body that does not match its shape. */
export function refuseMismatch({ kind, path, message }: Mismatch): Refusal {
  const messages = { unknown: 'Extra inputs are not permitted', missing: 'Field required' }
  return refuseField(kind === 'unknown' || kind === 'missing' ? messages[kind] : message, path.join('.'))
}

/** Anthropic's error for a failure that is not caused by the request. */
export function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'too-long') return refuse(400, 'prompt is too long: 200001 tokens > 200000 maximum')
  if (kind === 'quota') return refuse(402, 'Your credit balance is too low to access the Anthropic API.')
  if (status === 404) return refuse(404, `model: ${model}`)
  if (status === 429)
    return refuse(429, "This request would exceed your organization's rate limit.", {
      'retry-after': String(Math.ceil(retryAfterMs / 1000)),
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
    })
  const other = status < 500 ? `The request failed with status ${status}.` : 'Internal server error'
  return refuse(status, messages[status] ?? other)
}

const messages: Readonly<Record<number, string>> = {
  401: 'invalid x-api-key',
  402: 'There is an issue with your billing or payment information.',
  403: 'Your API key does not have permission to use the specified resource.',
  413: 'Request exceeds the maximum size',
  504: 'The request timed out while processing.',
  529: 'Overloaded',
}

/** Anthropic as the host of its models. A key can be in either header. */
export const anthropicHost: ChatHost = {
  authenticate: exchange =>
    checkKey(String(exchange.request.headers['x-api-key'] ?? bearerOf(exchange)), refuseFailure),
  refuseFailure,
  errorInAnswer: refuse(529, 'Overloaded').answer.body,
}
