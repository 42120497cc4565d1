import { isRecord } from '../../../platform/checks.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'

/** Parses a vendor's answer, or an event of it, as a JSON object. Throws `broken` for anything else. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text)
    if (isRecord(value)) return value
  } catch {
    // thrown below
  }
  throw new UpstreamFailure('broken', { message: 'the vendor answered with something other than JSON' })
}

/** Maximum nesting depth of an answer. JSON with thousands of levels can be parsed, but not printed. */
const maxLevels = 500

/** Parses JSON from a vendor or its model. Throws SyntaxError if it is invalid or nests too deeply. */
export function parseJson(text: string): unknown {
  if (text.length > 2 * maxLevels && nestsDeeper(text, maxLevels)) throw new SyntaxError('nests too deep')
  return JSON.parse(text)
}

function nestsDeeper(text: string, max: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBrace || code === openBracket) {
      if (++depth > max) return true
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return false
}

const [quote, backslash] = [0x22, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Returns the position of the closing quote of the string that begins at `start`. Uses a native search, so that long
 * strings cost little.
 */
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

/**
 * Runs `read` on an answer of any shape. Throws only UpstreamFailure: other errors of `read`, which an unexpected shape
 * causes, become `broken`.
 */
export function guardShape<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    throw error instanceof UpstreamFailure ? error : unexpectedShape(error)
  }
}

/** Returns a value that must be a string. Throws `broken` for anything else. */
export function requireText(value: unknown): string {
  if (typeof value === 'string') return value
  throw unexpectedShape()
}

/** Returns a count, or zero if the vendor leaves it out. */
export function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** Returns the failure of an answer whose shape does not match the format. */
export function unexpectedShape(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', { message: 'the vendor answered in another shape', cause })
}
