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

const quote = 0x22
const backslash = 0x5c

/** Counts open brackets and values outside of strings, in one pass: the parser itself has no limit. */
function refuseExcess(body: Buffer, maxValues: number): void {
  let depth = 0
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
        depth += 1
        values += 1
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1
        break
      case 0x2c: // ,
        values += 1
    }
    if (depth > maxDepth) throw tooMuch(`nests deeper than ${maxDepth} levels`)
    if (values > maxValues) throw tooMuch(`has more than ${maxValues} values`)
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

function tooMuch(what: string): BodyRefused {
  return new BodyRefused('invalid_json', `The body ${what}.`)
}
