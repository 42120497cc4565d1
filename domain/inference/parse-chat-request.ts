import { Ajv, type ErrorObject } from 'ajv'
import { Problem } from '../../schema/errors.ts'
import { ChatRequest } from '../../schema/wire/chat.ts'

const validate = new Ajv({ allErrors: false, strict: false }).compile<ChatRequest>(ChatRequest)

/**
 * A body as a chat request (contract: Chat completions). Throws `missing_parameter` or `invalid_request`, naming
 * the parameter as the client spells it: `messages[0].role`.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  if (validate(body)) return body
  throw problemOf(validate.errors ?? [])
}

/** Of several errors (the branches of a union) the one that lies deepest says most. */
function problemOf(errors: ErrorObject[]): Problem {
  const depth = (error: ErrorObject) => error.instancePath.split('/').length
  const [error] = [...errors].sort((a, b) => depth(b) - depth(a) || rank(a) - rank(b))
  if (!error) return new Problem('invalid_request')
  const path = spell(error.instancePath)
  if (error.keyword === 'required') {
    const param = path ? `${path}.${error.params.missingProperty}` : error.params.missingProperty
    return new Problem('missing_parameter', { param, message: `${param} is required.` })
  }
  const param = path || undefined
  return new Problem('invalid_request', { param, message: `${path || 'The body'} ${textOf(error)}.` })
}

/** `null` is allowed nearly everywhere and explains nothing. */
function rank(error: ErrorObject): number {
  if (error.keyword === 'anyOf') return 2
  return error.keyword === 'type' && error.params.type === 'null' ? 1 : 0
}

function textOf(error: ErrorObject): string {
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  return error.message ?? 'is not valid'
}

/** `/messages/0/role` as `messages[0].role`. */
function spell(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
}
