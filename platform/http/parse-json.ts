import secureJson from 'secure-json-parse'
import { BodyRefused } from './body-refused.ts'

/** Brackets nested deeper than this are an attack, not a request. */
const maxDepth = 200

/**
 * A body as JSON. Throws BodyRefused, `invalid_json`, for what does not parse, nests too deep, or would reach a
 * prototype.
 */
export function parseJson(body: Buffer): unknown {
  if (isTooDeep(body)) throw new BodyRefused('invalid_json', `The body nests deeper than ${maxDepth} levels.`)
  try {
    return secureJson.parse(body.toString(), undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    throw new BodyRefused('invalid_json', undefined, { cause })
  }
}

/** Counts open brackets outside of strings: the parser itself has no limit. */
function isTooDeep(body: Buffer): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (inString) {
      if (byte === 0x5c) at += 1
      else if (byte === 0x22) inString = false
      continue
    }
    if (byte === 0x22) {
      inString = true
      at = nextQuote(body, at + 1) - 1
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
  }
  return false
}

/** Where the string's next quote or backslash stands, found natively: long texts cost nothing. */
function nextQuote(body: Buffer, from: number): number {
  const quote = body.indexOf(0x22, from)
  if (quote < 0) return body.length
  const backslash = body.subarray(from, quote).indexOf(0x5c)
  return backslash < 0 ? quote : from + backslash
}
