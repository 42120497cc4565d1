import type { IncomingMessage } from 'node:http'
import secureJson from 'secure-json-parse'
import { Problem } from '../../schema/errors.ts'

/** Brackets nested deeper than this are an attack, not a request. */
const maxDepth = 200

/** A body as JSON. Throws `invalid_json` for what does not parse, nests too deep, or would reach a prototype. */
export function parseJson(body: Buffer): unknown {
  if (isTooDeep(body))
    throw new Problem('invalid_json', { message: `The body nests deeper than ${maxDepth} levels.` })
  try {
    return secureJson.parse(body.toString(), undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw new Problem('invalid_json', { cause: error })
  }
}

/** The body of a request. Throws `body_too_large`, `unsupported_media_type` for one that is compressed. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new Problem('unsupported_media_type', {
      message: 'Send the body as it is, without Content-Encoding.',
    })
  }
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const parts: Buffer[] = []
  let size = 0
  await new Promise<void>((resolve, reject) => {
    request.on('data', (part: Buffer) => {
      parts.push(part)
      size += part.length
      if (size > limitBytes) reject(tooLarge(limitBytes))
    })
    request.on('end', resolve)
    request.on('error', reject)
    request.on('aborted', () => reject(new Problem('invalid_request', { message: 'The body was cut.' })))
  })
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

function tooLarge(limitBytes: number): Problem {
  return new Problem('body_too_large', { message: `The body is larger than ${limitBytes} bytes.` })
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
