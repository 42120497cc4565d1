import { isText } from '../../../platform/is-text.ts'
import type { Json, JsonObject } from '../../../schema/json.ts'
import { refuse } from '../checks/refuse.ts'
import { type Path, paramOf } from './json.ts'

/** Nothing that a vendor takes is longer, in characters of JSON, or nests deeper. */
const maxLength = 65_536
const maxDepth = 16

/** Names that reach an object's prototype. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads a configuration as it came. Throws `validation_failed` for what is no object, or cannot be kept. */
export function parseConfig(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse('configJson', 'must be an object')
  const config = objectOf(value, [])
  if (JSON.stringify(config).length > maxLength)
    refuse('configJson', `must be shorter than ${maxLength} characters`)
  return config
}

function objectOf(value: object, path: Path): JsonObject {
  const entries = Object.entries(value).map(([name, item]): [string, Json] => {
    if (unsafeNames.has(name)) refuse(paramOf(path), 'has a name that is not allowed')
    return [textOf(name, path), jsonOf(item, [...path, name])]
  })
  return Object.fromEntries(entries)
}

function jsonOf(value: unknown, path: Path): Json {
  if (path.length > maxDepth) refuse('configJson', `must not nest deeper than ${maxDepth} levels`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return textOf(value, path)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) return value.map((item, index) => jsonOf(item, [...path, index]))
  if (typeof value === 'object') return objectOf(value, path)
  return refuse(paramOf(path), 'must be a JSON value')
}

/** What the database cannot keep: U+0000, and halves of characters. */
function textOf(text: string, path: Path): string {
  if (!isText(text)) refuse(paramOf(path), 'must be text')
  return text
}
