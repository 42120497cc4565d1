import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam, missingParam } from '../../schema/refuse-param.ts'
import { ChatRequest, chatBounds } from '../../schema/wire/chat.ts'

const check = openCheck(ChatRequest)

/**
 * Checks that a body is a chat request within its limits (docs/behaviour.md, Chat). Throws `missing_parameter` or
 * `invalid_request`, naming the parameter in the client's terms: `messages[0].role`.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  boundCounts(body)
  return check(body)
}

/** Checks the shape of a value. `at` is the path of the value in the request: `input[2]`. */
export type Check<Shape> = (value: unknown, at?: string) => Shape

/**
 * Shapes are not validated as JSON Schema, which would take longer than to compile them. Lengths are counted in UTF-16
 * units: counting the code points of an image of 20 MB would block the event loop for 100 ms.
 */
const ajvOptions = { strict: false, validateSchema: false, unicode: false, logger: false } as const

/**
 * Returns the check of a shape, which is compiled at its first use. The check returns the value, typed, or throws
 * `missing_parameter` or `invalid_request`, naming the parameter in the client's terms: `messages[0].role`.
 */
export function openCheck<Schema extends TSchema>(schema: Schema): Check<Static<Schema>> {
  let validate: ValidateFunction<Static<Schema>> | undefined
  return (value, at = '') => {
    validate ??= new Ajv(ajvOptions).compile<Static<Schema>>(schema)
    if (validate(value)) return value
    throw problemOf(validate.errors ?? [], at)
  }
}

/** Returns the problem of the deepest error, which is the most specific one of a union's branches. */
function problemOf(errors: ErrorObject[], at: string): Problem {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length
  const [error] = [...errors].sort((a, b) => depth(b) - depth(a) || rank(a) - rank(b))
  if (!error) return new Problem('invalid_request')
  const path = join(at, spell(error.instancePath))
  if (error.keyword === 'required') {
    const param = join(path, error.params.missingProperty)
    return missingParam(param)
  }
  const param = path || undefined
  const together = errors.filter(({ instancePath }) => instancePath === error.instancePath)
  return new Problem('invalid_request', {
    param,
    message: `${path || 'The body'} ${textOf(error, together)}.`,
  })
}

/** Ranks errors of equal depth. `null` is allowed nearly everywhere, so its error explains nothing. */
function rank(error: ErrorObject): number {
  if (error.keyword === 'anyOf') return 2
  return error.keyword === 'type' && error.params.type === 'null' ? 1 : 0
}

/** Returns the text of an error. `together` are the errors of all branches, whose kinds are all named. */
function textOf(error: ErrorObject, together: ErrorObject[]): string {
  const allowed = [...new Set(together.flatMap(allowedBy))]
  if (allowedBy(error).length === 0) return error.message ?? 'is not valid'
  const last = allowed.pop()
  return `must be ${allowed.length > 0 ? `${allowed.join(', ')} or ` : ''}${last}`
}

const kinds = new Map([
  ['string', 'a string'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['number', 'a number'],
  ['integer', 'an integer'],
  ['boolean', 'true or false'],
])

function allowedBy({ keyword, params }: ErrorObject): string[] {
  const kind = keyword === 'type' ? kinds.get(params.type) : undefined
  if (kind) return [kind]
  if (keyword === 'const') return [String(params.allowedValue)]
  return keyword === 'enum' ? [`one of ${params.allowedValues.join(', ')}`] : []
}

/** `/messages/0/role` as `messages[0].role`. */
function spell(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
}

function join(at: string, path: string): string {
  return at === '' || path === '' || path.startsWith('[') ? at + path : `${at}.${path}`
}

/**
 * Checks that no list of a request exceeds its bound, before anything reads the list. Ignores a body of another shape.
 * Throws `invalid_request`, naming the list and its bound.
 */
export function boundCounts(body: unknown): void {
  if (!isRecord(body)) return
  const { messages, tools } = body
  if (lengthOf(tools) > chatBounds.tools) throw excessOf('tools', `at most ${chatBounds.tools} tools`)
  if (!Array.isArray(messages)) return
  if (messages.length > chatBounds.messages) {
    throw excessOf('messages', `at most ${chatBounds.messages} messages`)
  }
  let parts = 0
  let calls = 0
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue
    parts += lengthOf(message.content) + lengthOf(message.thinking_blocks)
    calls += lengthOf(message.tool_calls)
    if (parts > chatBounds.parts) {
      throw excessOf(
        `messages[${index}].content`,
        `at most ${chatBounds.parts} parts in all messages together`,
      )
    }
    if (calls > chatBounds.calls) {
      throw excessOf(
        `messages[${index}].tool_calls`,
        `at most ${chatBounds.calls} calls in all messages together`,
      )
    }
  }
}

/**
 * Checks that a body of any protocol, and its `metadata`, has at most `chatBounds.fields` fields, since every reader
 * copies them. Throws `invalid_request`.
 */
export function boundFields(body: unknown): void {
  if (!isRecord(body)) return
  const isIn = (value: unknown) => !isRecord(value) || Object.keys(value).length <= chatBounds.fields
  const excess = `has more than ${chatBounds.fields} fields`
  if (!isIn(body)) throw new Problem('invalid_request', { message: `The body ${excess}.` })
  if (!isIn(body.metadata)) throw invalidParam('metadata', excess)
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function excessOf(param: string, bound: string): Problem {
  return invalidParam(param, `exceeds its bound: ${bound}`)
}
