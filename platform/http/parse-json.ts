import secureJson from 'secure-json-parse'
import { BodyRefused } from './read-body.ts'

/** Brackets nested deeper than this are an attack, not a request. */
const maxDepth = 200

/**
 * Values in one body, unless less is stated: each costs time beyond its bytes, here and with all that reads
 * it.
 */
const maxBodyValues = 100_000

/**
 * A body as JSON. Throws BodyRefused, `invalid_json`, for what does not parse, nests too deep, has more than
 * `maxValues` values, or would reach a prototype.
 */
export function parseJson(body: Buffer, maxValues: number = maxBodyValues): unknown {
  refuseExcess(body, maxValues)
  try {
    return secureJson.parse(body.toString(), undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    throw new BodyRefused('invalid_json', undefined, { cause })
  }
}

/** Counts open brackets and values outside of strings, in one pass: the parser itself has no limit. */
function refuseExcess(body: Buffer, maxValues: number): void {
  let depth = 0
  let values = 0
  let inString = false
  let backslash = -1 // where the next one stands, once it was looked for
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (inString) {
      if (byte === 0x5c) at += 1
      else if (byte === 0x22) inString = false
      continue
    }
    if (byte === 0x22) {
      inString = true
      if (backslash <= at) backslash = positionOf(0x5c, body, at + 1)
      at = Math.min(positionOf(0x22, body, at + 1), backslash) - 1
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      values += 1
      if (depth > maxDepth) throw tooMuch(`nests deeper than ${maxDepth} levels`)
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
    else if (byte === 0x2c) values += 1
    if (values > maxValues) throw tooMuch(`has more than ${maxValues} values`)
  }
}

/** Where a byte stands next, found natively: long texts cost nothing; the end where it does not. */
function positionOf(byte: number, body: Buffer, from: number): number {
  const at = body.indexOf(byte, from)
  return at < 0 ? body.length : at
}

function tooMuch(what: string): BodyRefused {
  return new BodyRefused('invalid_json', `The body ${what}.`)
}
