import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { Problem } from '../../schema/errors.ts'

/** Whether a value of a request has its shape. `at` is where in the request it stands: `input[2]`. */
export type Check<Shape> = (value: unknown, at?: string) => Shape

/**
 * Compiles the check of a shape. It answers the value, typed, or throws `missing_parameter` or `invalid_request`,
 * naming the parameter as the client spells it: `messages[0].role`.
 */
export function openCheck<Schema extends TSchema>(schema: Schema): Check<Static<Schema>> {
  const validate = new Ajv({ allErrors: false, strict: false }).compile<Static<Schema>>(schema)
  return (value, at = '') => {
    if (validate(value)) return value
    throw problemOf(validate.errors ?? [], at)
  }
}

/** Of several errors (the branches of a union) the one that lies deepest says most. */
function problemOf(errors: ErrorObject[], at: string): Problem {
  const depth = (error: ErrorObject) => error.instancePath.split('/').length
  const [error] = [...errors].sort((a, b) => depth(b) - depth(a) || rank(a) - rank(b))
  if (!error) return new Problem('invalid_request')
  const path = join(at, spell(error.instancePath))
  if (error.keyword === 'required') {
    const param = join(path, error.params.missingProperty)
    return new Problem('missing_parameter', { param, message: `${param} is required.` })
  }
  const param = path || undefined
  const together = errors.filter(({ instancePath }) => instancePath === error.instancePath)
  return new Problem('invalid_request', {
    param,
    message: `${path || 'The body'} ${textOf(error, together)}.`,
  })
}

/** `null` is allowed nearly everywhere and explains nothing. */
function rank(error: ErrorObject): number {
  if (error.keyword === 'anyOf') return 2
  return error.keyword === 'type' && error.params.type === 'null' ? 1 : 0
}

/** What is wrong. Of a value that may be of several kinds all are named: `together` are the errors of its branches. */
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
