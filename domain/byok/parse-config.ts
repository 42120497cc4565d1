import { isText } from '../../platform/checks.ts'
import type { Json, JsonObject } from '../../schema/json.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { printPath, type ValuePath } from '../../schema/value-path.ts'
import { isSecretText } from './detect-secrets.ts'

/** Maximum sizes, above the needs of any vendor. Lengths are in characters; `maxLength` is the length of the JSON. */
const maxLength = 65_536
export const maxValues = 500
const maxDepth = 16
const maxNameLength = 128

/** Names that would reach an object's prototype. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Parses a configuration that a customer sent. Throws `validation_failed` if it is not an object, or cannot be stored.
 */
export function parseConfig(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuseParam('configJson', 'must be an object')
  const config = objectOf(value, [], { values: 0, length: 0 })
  if (JSON.stringify(config).length > maxLength) refuseLength()
  return config
}

/** The totals of the part of a configuration that was read so far. */
interface Totals {
  values: number
  /** Characters of names and texts, which is less than the length of the JSON. */
  length: number
}

function objectOf(value: object, path: ValuePath, totals: Totals): JsonObject {
  const entries = Object.entries(value).map(([name, item]): [string, Json] => [
    nameOf(name, path, totals),
    jsonOf(item, [...path, name], totals),
  ])
  return Object.fromEntries(entries)
}

/** Checks a name. Names are shown, so a name must not be a secret. */
function nameOf(name: string, path: ValuePath, totals: Totals): string {
  if (unsafeNames.has(name)) refuseParam(paramOf(path), 'has a name that is not allowed')
  if (name.length > maxNameLength)
    refuseParam(paramOf(path), `has a name of more than ${maxNameLength} characters`)
  if (isSecretText(name)) refuseParam(paramOf(path), 'has a name that looks like a secret')
  return textOf(name, path, totals)
}

function jsonOf(value: unknown, path: ValuePath, totals: Totals): Json {
  if (path.length > maxDepth) refuseParam('configJson', `must not nest deeper than ${maxDepth} levels`)
  if (++totals.values > maxValues) refuseParam('configJson', `must have at most ${maxValues} values`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return textOf(value, path, totals)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) return value.map((item, index) => jsonOf(item, [...path, index], totals))
  if (typeof value === 'object') return objectOf(value, path, totals)
  return refuseParam(paramOf(path), 'must be a JSON value')
}

/** Refuses texts that the database cannot store: texts with U+0000 or unpaired surrogates. */
function textOf(text: string, path: ValuePath, totals: Totals): string {
  totals.length += text.length
  if (totals.length > maxLength) refuseLength()
  if (!isText(text)) refuseParam(paramOf(path), 'must be text')
  return text
}

function refuseLength(): never {
  refuseParam('configJson', `must be shorter than ${maxLength} characters`)
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the name of a value in errors: `configJson.accounts[0].token`. */
export function paramOf(path: ValuePath): string {
  return printPath(['configJson', ...path])
}
