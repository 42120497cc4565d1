import { BodyRefused } from './read-body.ts'

/** Maximum depth of a body's brackets. Requests nest less; functions that recurse over a body rely on it. */
const maxDepth = 200

/** Maximum number of values in a body unless the caller passes another. Each costs time beyond its bytes. */
const maxBodyValues = 100_000

/** Minimum bytes that a value takes in a text of JSON: a digit and a comma, or two brackets. */
const bytesPerValue = 2

/**
 * Parses a body as JSON. Throws BodyRefused, `invalid_json`, if the body is not valid JSON, nests deeper than 200 levels,
 * has more than `maxValues` values, or has a field that could reach a prototype.
 */
export function parseJson(body: Buffer, maxValues: number = maxBodyValues): unknown {
  return parseAndCount(body, maxValues).json
}

/** Does the same as `parseJson`, and returns the number of values, on which the cost of further work depends. */
export function parseAndCount(
  body: Buffer,
  maxValues: number = maxBodyValues,
): { json: unknown; values: number } {
  if (body.length > maxValues * bytesPerValue) refuseExcess(body, maxValues)
  const json = parse(body)
  return { json, values: countValues(json, 1) }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (cause) {
    throw new BodyRefused('invalid_json', undefined, { cause })
  }
}

/** Counts values to any depth. Throws BodyRefused if they nest too deep, or if a field could reach a prototype. */
function countValues(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 1
  if (depth > maxDepth) throw excess(`nests deeper than ${maxDepth} levels`)
  let count = 1
  if (Array.isArray(value)) {
    for (const each of value) count += countValues(each, depth + 1)
    return count
  }
  const fields = value as Record<string, unknown>
  for (const name in fields) {
    if (name === '__proto__' || (name === 'constructor' && hasPrototype(fields[name])))
      throw new BodyRefused('invalid_json')
    count += countValues(fields[name], depth + 1)
  }
  return count
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

const quote = 0x22
const backslash = 0x5c

/** Counts the values of a large body before it is parsed: brackets and commas outside of strings. */
function refuseExcess(body: Buffer, maxValues: number): void {
  let values = 0
  let nextBackslash = -1
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote: {
        if (nextBackslash <= at) nextBackslash = positionOf(backslash, body, at + 1)
        const nextQuote = positionOf(quote, body, at + 1)
        at = nextQuote < nextBackslash ? nextQuote : endOfString(body, nextBackslash)
        break
      }
      case 0x7b: // {
      case 0x5b: // [
      case 0x2c: // ,
        values += 1
    }
    if (values > maxValues) throw excess(`has more than ${maxValues} values`)
  }
}
/** Returns the position of the next `byte`, or the body's length if there is none. Native, so that long texts cost little. */
function positionOf(byte: number, body: Buffer, from: number): number {
  const at = body.indexOf(byte, from)
  return at < 0 ? body.length : at
}

/** Returns the position of the quote that ends a string, from its first backslash. */
function endOfString(body: Buffer, firstBackslash: number): number {
  let at = firstBackslash
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return at
}

function excess(what: string): BodyRefused {
  return new BodyRefused('invalid_json', `The body ${what}.`)
}
