import { isText } from '../../platform/is-text.ts'
import type { Json, JsonObject } from '../../schema/json.ts'
import { refuse } from './check-values.ts'
import { isSecretText } from './detect-secrets.ts'

/** Nothing that a vendor takes is longer, in characters of JSON, has more values, or nests deeper. */
const maxLength = 65_536
const maxValues = 500
const maxDepth = 16
const maxNameLength = 128

/** Names that reach an object's prototype. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads a configuration as it came. Throws `validation_failed` for what is no object, or cannot be kept. */
export function parseConfig(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse('configJson', 'must be an object')
  const config = objectOf(value, [], { values: 0, length: 0 })
  if (JSON.stringify(config).length > maxLength) refuseLength()
  return config
}

/** What of a configuration was read so far. */
interface Read {
  values: number
  /** Characters of its names and texts: less than the JSON has. */
  length: number
}

function objectOf(value: object, path: Path, read: Read): JsonObject {
  const entries = Object.entries(value).map(([name, item]): [string, Json] => [
    nameOf(name, path, read),
    jsonOf(item, [...path, name], read),
  ])
  return Object.fromEntries(entries)
}

/** A name is shown, so it must not be a secret. */
function nameOf(name: string, path: Path, read: Read): string {
  if (unsafeNames.has(name)) refuse(paramOf(path), 'has a name that is not allowed')
  if (name.length > maxNameLength)
    refuse(paramOf(path), `has a name of more than ${maxNameLength} characters`)
  if (isSecretText(name)) refuse(paramOf(path), 'has a name that looks like a secret')
  return textOf(name, path, read)
}

function jsonOf(value: unknown, path: Path, read: Read): Json {
  if (path.length > maxDepth) refuse('configJson', `must not nest deeper than ${maxDepth} levels`)
  if (++read.values > maxValues) refuse('configJson', `must have at most ${maxValues} values`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return textOf(value, path, read)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) return value.map((item, index) => jsonOf(item, [...path, index], read))
  if (typeof value === 'object') return objectOf(value, path, read)
  return refuse(paramOf(path), 'must be a JSON value')
}

/** What the database cannot keep: U+0000, and halves of characters. */
function textOf(text: string, path: Path, read: Read): string {
  read.length += text.length
  if (read.length > maxLength) refuseLength()
  if (!isText(text)) refuse(paramOf(path), 'must be text')
  return text
}

function refuseLength(): never {
  refuse('configJson', `must be shorter than ${maxLength} characters`)
}

/** Where a value is: the names and positions that lead to it. */
export type Path = readonly (string | number)[]

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A place in the configuration as errors name it: `configJson.accounts[0].token`. */
export function paramOf(path: Path): string {
  return path.reduce<string>(
    (known, part) => (typeof part === 'number' ? `${known}[${part}]` : `${known}.${part}`),
    'configJson',
  )
}
