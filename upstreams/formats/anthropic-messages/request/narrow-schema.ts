import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import { isEnforced } from './enforced-words.ts'
import { isObject, isOpenObject } from './measure-schema.ts'

/**
 * A schema as the vendor takes it for answers: every object closed, and only words that it can enforce; bounds and
 * the like move into the description. An answer that fits it fits the client's schema as far as the vendor can see.
 * Throws `invalid_request`, naming `at`, for objects whose names are open, which no closed object can stand for.
 */
export function narrowSchema(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  const narrow: Record<string, unknown> = {}
  const told = new Map<string, unknown>()
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'oneOf') narrow.anyOf = narrowAll(value, `${at}.oneOf`)
    else if (isEnforced(word, value)) narrow[word] = narrowWord(word, value, `${at}.${word}`)
    else if (word !== '$schema' && word !== 'additionalProperties') told.set(word, value)
  }
  if (isOpenObject(schema)) {
    const message = 'The model answers in objects whose properties are named: list them in properties.'
    throw new Problem('invalid_request', { param: at, message })
  }
  if (isObject(schema)) narrow.additionalProperties = false
  if (told.size > 0) narrow.description = describe(schema.description, Object.fromEntries(told))
  return narrow
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

function describe(description: unknown, told: Record<string, unknown>): string {
  const rest = `It must fit ${JSON.stringify(told)}.`
  return typeof description === 'string' ? `${description} ${rest}` : rest
}
