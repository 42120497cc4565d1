import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'

/** What the vendor enforces. Other words of a schema are told to the model in its description. */
const enforced = new Set(
  'type description title enum const default $ref $defs definitions properties required items anyOf allOf pattern'.split(
    ' ',
  ),
)
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

/**
 * A schema as the vendor takes it for answers: every object closed, and only words that it can enforce; bounds and
 * the like move into the description. An answer that fits it fits the client's schema as far as the vendor can see.
 * Throws `invalid_request`, naming `at`, for objects whose names are open, which no closed object can stand for.
 */
export function narrowSchema(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  const narrow: Record<string, unknown> = {}
  const told: Record<string, unknown> = {}
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'oneOf') narrow.anyOf = narrowAll(value, `${at}.oneOf`)
    else if (isEnforced(word, value)) narrow[word] = narrowWord(word, value, `${at}.${word}`)
    else if (word !== '$schema' && word !== 'additionalProperties') told[word] = value
  }
  if (isOpen(schema)) {
    const message = 'The model answers in objects whose properties are named: list them in properties.'
    throw new Problem('invalid_request', { param: at, message })
  }
  if (isObject(schema)) narrow.additionalProperties = false
  if (Object.keys(told).length > 0) narrow.description = describe(schema.description, told)
  return narrow
}

function isEnforced(word: string, value: unknown): boolean {
  if (word === 'format') return typeof value === 'string' && formats.has(value)
  if (word === 'minItems') return value === 0 || value === 1
  return enforced.has(word)
}

function narrowWord(word: string, value: unknown, at: string): unknown {
  if (word === 'properties' || word === '$defs' || word === 'definitions') return narrowNamed(value, at)
  if (word === 'anyOf' || word === 'allOf') return narrowAll(value, at)
  return word === 'items' ? narrowAny(value, at) : value
}

function narrowNamed(value: unknown, at: string): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, narrowAny(inner, `${at}.${name}`)]),
  )
}

function narrowAll(value: unknown, at: string): unknown {
  return Array.isArray(value) ? value.map((inner, index) => narrowAny(inner, `${at}[${index}]`)) : value
}

function narrowAny(value: unknown, at: string): unknown {
  return isRecord(value) ? narrowSchema(value, at) : value
}

function isObject({ type, properties }: Record<string, unknown>): boolean {
  return type === undefined ? properties !== undefined : [type].flat().includes('object')
}

/** An object of which nothing is said but that it is one: closed, it could only be empty. */
function isOpen(schema: Record<string, unknown>): boolean {
  const saysMore = ['properties', '$ref', 'anyOf', 'oneOf', 'allOf'].some(word => word in schema)
  return isObject(schema) && !saysMore && schema.additionalProperties !== false
}

function describe(description: unknown, told: Record<string, unknown>): string {
  const rest = `It must fit ${JSON.stringify(told)}.`
  return typeof description === 'string' ? `${description} ${rest}` : rest
}
