import type { OutgoingHttpHeaders } from 'node:http'
import { Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import { discriminatorOf, type Issue } from '../../server/shape.ts'

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

/** What OpenAI answers to a body that is not of its shape: `messages[0].content` names the field at fault. */
export function refuseIssue(issue: Issue): Refusal {
  const param = addressOf(issue.path)
  const discriminator = discriminatorOf(issue)
  const value = discriminator ? discriminator.value : issue.input
  if (issue.code === 'unrecognized_keys') {
    const unknown = addressOf([...issue.path, issue.keys[0] ?? ''])
    return refuse(400, `Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' })
  }
  const isAbsentAsNull = discriminator || issue.code === 'invalid_value' || isListExpected(issue)
  if (value === undefined || (value === null && isAbsentAsNull))
    return refuse(400, `Missing required parameter: '${param}'.`, {
      param,
      code: 'missing_required_parameter',
    })
  const choices = discriminator?.options ?? (issue.code === 'invalid_value' ? issue.values : undefined)
  if (choices && typeof value === 'string') return refuseChoice(param, value, choices)
  if (choices) return refuseType(param, 'a string', value)
  switch (issue.code) {
    case 'too_small':
      if (issue.origin !== 'array') return refuseBound(param, issue.message, { value, least: issue.minimum })
      return refuse(
        400,
        `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        { param, code: 'empty_array' },
      )
    case 'too_big':
      if (issue.origin === 'number') return refuseBound(param, issue.message, { value, most: issue.maximum })
      return refuseLength(param, value, issue.maximum)
    case 'invalid_format':
      return refuse(400, `Invalid '${param}'${issue.message}`, { param, code: 'invalid_value' })
    case 'invalid_union':
      if (value !== null || issue.path.at(-1) !== 'content')
        return refuseType(param, 'one of a string or array of objects', value)
      return refuse(400, "Invalid value for 'content': expected a string, got null.", {
        param: param.replace('[', '.['),
      })
    default:
      return refuseType(
        param,
        issue.code === 'invalid_type' ? (nouns[issue.expected] ?? issue.message) : '',
        value,
      )
  }
}

function isListExpected(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'array'
}

/** How OpenAI names a field: `messages[0].content`. */
function addressOf(path: readonly PropertyKey[]): string {
  return path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  int: 'an integer',
  array: 'an array of objects',
  object: 'an object',
  record: 'an object',
}

function refuseType(param: string, expected: string, value: unknown): Refusal {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${describe(value)} instead.`
  return refuse(400, message, { param, code: 'invalid_type' })
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function refuseChoice(param: string, value: string, choices: readonly unknown[]): Refusal {
  const quoted = choices.map(choice => `'${choice}'`)
  const listed = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}` : quoted.join()
  const message = `Invalid value: '${value}'. Supported values are: ${listed}.`
  return refuse(400, message, { param, code: 'invalid_value' })
}

/** The kind is `integer` or `decimal`. */
function refuseBound(
  param: string,
  kind: string,
  { value, least, most }: { value: unknown; least?: number | bigint; most?: number | bigint },
): Refusal {
  const [place, sign, word] = least === undefined ? ['above', '<=', 'max'] : ['below', '>=', 'min']
  const message = `Invalid '${param}': ${kind} ${place} ${word}imum value. Expected a value ${sign} ${least ?? most}, but got ${value} instead.`
  return refuse(400, message, { param, code: `${kind}_${place}_${word}_value` })
}

function refuseLength(param: string, value: unknown, most: number | bigint): Refusal {
  const [noun, length] = Array.isArray(value) ? ['array', value.length] : ['string', String(value).length]
  const article = noun === 'array' ? 'an array' : 'a string'
  const message = `Invalid '${param}': ${noun} too long. Expected ${article} with maximum length ${most}, but got ${article} with length ${length} instead.`
  return refuse(400, message, { param, code: `${noun}_above_max_length` })
}

/** What OpenAI answers where the failure is not in the request itself. */
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
  if (status < 500) return refuse(status, `The request was refused with status ${status}.`)
  const message = status === 503 ? overloaded : serverError
  return refuse(status, message, { type: 'server_error' })
}

const overloaded = 'That model is currently overloaded with other requests. Sorry about that!'
const serverError = 'The server had an error while processing your request. Sorry about that!'

/** The error of the fault `error-frame`, as it is in a body or a frame. */
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
