import { isRecord } from '../../../platform/is-record.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'

/** What a vendor sent, as a JSON object. Throws `broken` when it is none. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text)
    if (isRecord(value)) return value
  } catch {
    // said below
  }
  throw new UpstreamFailure('broken', { message: 'the vendor answered with something other than JSON' })
}

/** Levels of brackets in what a vendor says: what nests by thousands could be read, but not written again. */
const mostLevels = 500

/**
 * JSON that a vendor, or its model, wrote. Throws SyntaxError for what is none, or nests deeper than any
 * answer.
 */
export function parseJson(text: string): unknown {
  if (text.length > 2 * mostLevels && nestsDeeper(text, mostLevels)) throw new SyntaxError('nests too deep')
  return JSON.parse(text)
}

function nestsDeeper(text: string, most: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBrace || code === openBracket) {
      if (++depth > most) return true
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return false
}

const [quote, backslash] = [0x22, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Where the string ends that begins there, found natively: long texts cost little. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first -= 1
  return (at - first) % 2 === 1
}

/** Reads what a vendor sent; what has another shape than an answer is none. Throws UpstreamFailure alone. */
export function readShape<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    throw error instanceof UpstreamFailure ? error : oddShape(error)
  }
}

/** A text where the vendor must send one. Throws `broken`. */
export function requireText(value: unknown): string {
  if (typeof value === 'string') return value
  throw oddShape()
}

/** A count that the vendor may tell; zero where it does not. */
export function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** An answer that is none, for its shape. */
export function oddShape(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', { message: 'the vendor answered in another shape', cause })
}
