import type { OutgoingHttpHeaders } from 'node:http'
import type Anthropic from '@anthropic-ai/sdk'
import { Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import { discriminatorOf, type Issue } from '../../server/shape.ts'

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

/** The vendor's own type, but for the list of types of errors, which is not whole. */
type Loose<Body> = Omit<Body, 'error'> & { error: { type: string; message: string } }

/** An error in Anthropic's shape; its type follows from the status. */
export function refuse(status: number, message: string, headers: OutgoingHttpHeaders = {}): Refusal {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const body = {
    type: 'error',
    error: { type, message },
    request_id: 'req_sim',
  } satisfies Loose<Anthropic.ErrorResponse>
  return new Refusal({ status, headers, body })
}

/** What Anthropic answers to a wrong field: its address (`messages.0.content`), then what is wrong. */
export function refuseField(at: string, message: string): Refusal {
  return refuse(400, `${at}: ${message}`)
}

/** What Anthropic answers to a body that is not of its shape. */
export function refuseIssue(issue: Issue): Refusal {
  const at = addressOf(issue.path)
  const discriminator = discriminatorOf(issue)
  const value = discriminator ? discriminator.value : issue.input
  if (issue.code === 'unrecognized_keys')
    return refuseField(addressOf([...issue.path, issue.keys[0] ?? '']), 'Extra inputs are not permitted')
  if (issue.code === 'custom' && issue.params?.isWhole) return refuse(400, issue.message)
  if (value === undefined) return refuseField(at, 'Field required')
  if (discriminator) return refuseField(at, describeChoices(discriminator.options))
  switch (issue.code) {
    case 'invalid_type':
      return refuseField(at, `Input should be ${nouns[issue.expected] ?? issue.expected}`)
    case 'invalid_value':
      return refuseField(at, describeChoices(issue.values))
    case 'invalid_union':
      return refuseField(at, 'Input should be a valid string or list')
    case 'too_small':
      return refuseField(at, `Input should be greater than or equal to ${issue.minimum}`)
    case 'too_big':
      return refuseField(at, `Input should be less than or equal to ${issue.maximum}`)
    case 'invalid_format':
      return refuseField(at, `String should match pattern '${issue.pattern?.slice(1, -1)}'`)
    default:
      return refuseField(at, issue.message)
  }
}

/** How Anthropic names a field: `messages.0.content`, and of a tool of the client `tools.0.custom.name`. */
function addressOf(path: readonly PropertyKey[]): string {
  const isOfTool = path[0] === 'tools' && path.length > 2 && path[2] !== 'type'
  return (isOfTool ? path.toSpliced(2, 0, 'custom') : path).map(String).join('.')
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a valid string',
  boolean: 'a valid boolean',
  number: 'a valid number',
  int: 'a valid integer',
  array: 'a valid list',
  object: 'an object',
  record: 'an object',
}

function describeChoices(choices: readonly unknown[]): string {
  return `Input should be ${choices.map(choice => `'${choice}'`).join(' or ')}`
}

/** What Anthropic answers where the failure is not in the request itself. */
export function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'too-long') return refuse(400, 'prompt is too long: 200001 tokens > 200000 maximum')
  if (kind === 'quota') {
    return refuse(
      402,
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    )
  }
  if (status === 404) return refuseModel(model)
  if (status === 429) {
    const message = "This request would exceed your organization's rate limit of 50 requests per minute."
    return refuse(429, message, {
      'retry-after': String(Math.ceil(retryAfterMs / 1000)),
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
    })
  }
  const other = status < 500 ? `Refused with status ${status}.` : 'Internal server error'
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

/** The error of the fault `error-frame`, as it is in a body or a frame. */
export const errorInAnswer = JSON.stringify(refuse(529, 'Overloaded').body)

export function refuseModel(model: string): Refusal {
  return refuse(404, `model: ${model}`)
}
