import type { OutgoingHttpHeaders } from 'node:http'
import { Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import type { Mismatch } from '../../server/shape.ts'

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

/** OpenAI's error for a body that does not match its shape. `param` names the field: `messages[0].content`. */
export function refuseMismatch(mismatch: Mismatch): Refusal {
  const { kind, path, value, expected, choices, message } = mismatch
  const param = pathOf(path)
  const invalid = (text: string, code: string) => refuse(400, text, { param, code })
  switch (kind) {
    case 'unknown':
      return invalid(`Unknown parameter: '${param}'.`, 'unknown_parameter')
    case 'missing':
      if (value === null && path.at(-1) === 'content') return refuseNullContent(Number(path[1]))
      return invalid(`Missing required parameter: '${param}'.`, 'missing_required_parameter')
    case 'choice':
      return invalid(`Invalid value: '${value}'. Supported values are: ${quote(choices)}.`, 'invalid_value')
    case 'type':
      return invalid(
        `Invalid type for '${param}': expected ${nouns[expected] ?? expected}, but got ${describe(value)} instead.`,
        'invalid_type',
      )
    case 'bound':
      return refuseBound(param, mismatch)
    case 'rule':
      return invalid(`Invalid '${param}'${message}`, 'invalid_value')
  }
}

export function refuseNullContent(index: number): Refusal {
  const message = "Invalid value for 'content': expected a string, got null."
  return refuse(400, message, { param: `messages.[${index}].content` })
}

function pathOf(path: readonly PropertyKey[]): string {
  const parts = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
  return parts.join('').replace(/^\./, '')
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  number: 'a decimal',
  int: 'an integer',
  array: 'an array of objects',
  object: 'an object',
  'string or array': 'one of a string or array of objects',
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function quote(choices: readonly unknown[]): string {
  const quoted = choices.map(choice => `'${choice}'`)
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}` : quoted.join()
}

function refuseBound(param: string, { value, minimum, maximum, message: noun }: Mismatch): Refusal {
  const [place, sign, word] = maximum === undefined ? ['below', '>=', 'min'] : ['above', '<=', 'max']
  const limit = minimum ?? maximum
  if (typeof value === 'number') {
    const message = `Invalid '${param}': ${noun} ${place} ${word}imum value. Expected a value ${sign} ${limit}, but got ${value} instead.`
    return refuse(400, message, { param, code: `${noun}_${place}_${word}_value` })
  }
  if (Array.isArray(value) && value.length === 0) {
    const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`
    return refuse(400, message, { param, code: 'empty_array' })
  }
  const [kind, article, length] = Array.isArray(value)
    ? ['array', 'an', value.length]
    : ['string', 'a', String(value).length]
  const size = place === 'above' ? 'too long' : 'too short'
  const message = `Invalid '${param}': ${kind} ${size}. Expected ${article} ${kind} with ${word}imum length ${limit}, but got ${article} ${kind} with length ${length} instead.`
  return refuse(400, message, { param, code: `${kind}_${place}_${word}_length` })
}

/** OpenAI's error for a failure that is not caused by the request. */
export function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
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
  if (status < 500) return refuse(status, `The request failed with status ${status}.`)
  return refuse(status, status === 503 ? overloaded : serverError, { type: 'server_error' })
}

const overloaded = 'That model is currently overloaded with other requests. Sorry about that!'
const serverError = 'The server had an error while processing your request. Sorry about that!'

/** The error that the fault `error-frame` puts into a body or a frame. */
export const errorInAnswer = JSON.stringify(refuse(500, serverError, { type: 'server_error' }).body)

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
