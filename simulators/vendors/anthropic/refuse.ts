import type { OutgoingHttpHeaders } from 'node:http'
import type Anthropic from '@anthropic-ai/sdk'
import type { Trouble } from '../faults/meet-fault.ts'
import { Refusal } from '../server/refusal.ts'

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** An error in Anthropic's shape; its type follows from the status. */
export function refuse(status: number, message: string, headers: OutgoingHttpHeaders = {}): Refusal {
  return new Refusal({ status, headers, body: presentError(typeOf(status), message) })
}

/** What stands in a body or a stream's frame. */
export function presentError(type: string, message: string) {
  return {
    type: 'error',
    error: { type, message },
    request_id: 'req_sim',
  } satisfies Loose<Anthropic.ErrorResponse>
}

/** The vendor's own type, but for the list of types of errors, which is not whole. */
type Loose<Body> = Omit<Body, 'error'> & { error: { type: string; message: string } }

/** What Anthropic says of trouble that is not in the request itself. */
export function refuseTrouble({ kind, status, model, retryAfterMs }: Trouble): Refusal {
  if (kind === 'too-long') return refuse(400, 'prompt is too long: 200001 tokens > 200000 maximum')
  if (kind === 'quota') {
    return refuse(
      402,
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    )
  }
  if (status === 429) return refuseRate(retryAfterMs)
  if (status === 404) return refuseModel(model)
  return refuse(
    status,
    says[status] ?? (status < 500 ? `Refused with status ${status}.` : 'Internal server error'),
  )
}

const says: Readonly<Record<number, string>> = {
  401: 'invalid x-api-key',
  402: 'There is an issue with your billing or payment information.',
  403: 'Your API key does not have permission to use the specified resource.',
  413: 'Request exceeds the maximum size',
  504: 'The request timed out while processing.',
  529: 'Overloaded',
}

export function refuseModel(model: string): Refusal {
  return refuse(404, `model: ${model}`)
}

function refuseRate(retryAfterMs: number): Refusal {
  const message = "This request would exceed your organization's rate limit of 50 requests per minute."
  return refuse(429, message, {
    'retry-after': String(Math.ceil(retryAfterMs / 1000)),
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
  })
}

function typeOf(status: number): string {
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}
