import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { AnswerSize } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** How large a vendor's answer may be; a larger one fails (docs/behaviour.md, BYOK). */
export interface AnswerLimits {
  /** Bytes of a whole answer. */
  wholeBytes: number
  /** Bytes of a whole answer, if the request itself asks for an answer of that size. */
  expectedBytes: number
  /** Bytes of a stream, from its first to its last. */
  streamBytes: number
  /** Bytes of an answer that has generated files in it. */
  mediaBytes: number
  /** Characters of one event of a stream. */
  eventCharacters: number
  /** Values in the JSON of a whole answer: besides its bytes they are what makes parsing expensive. */
  values: number
}

/** The limits for the operator's own vendors, and for addresses that customers name, which may be hostile. */
export interface AllAnswerLimits {
  platform: AnswerLimits
  own: AnswerLimits
}

/**
 * A stream may be so many times as long as a whole answer: each of its tokens comes in an event of its own.
 */
const streamFactor = 16

/** An answer with generated files in it may be so many times as long: several images, in base64. */
const mediaFactor = 4

/** The largest event of a customer's own vendor, as a share of the largest whole answer. */
const ownEventShare = 16

/** Enough for 2,000 tokens with twenty alternatives each; parsed in a tenth of a second at most. */
const ownValues = 500_000

/** The limits from the settings. */
export function answerLimitsOf({ answerLimitBytes, ownAnswerLimitBytes }: AnswerSettings): AllAnswerLimits {
  const wholeOf = (wholeBytes: number) => ({
    wholeBytes,
    streamBytes: wholeBytes * streamFactor,
    mediaBytes: wholeBytes * mediaFactor,
  })
  return {
    platform: {
      ...wholeOf(answerLimitBytes),
      expectedBytes: Number.POSITIVE_INFINITY,
      eventCharacters: answerLimitBytes,
      values: Number.POSITIVE_INFINITY,
    },
    own: {
      ...wholeOf(ownAnswerLimitBytes),
      expectedBytes: answerLimitBytes,
      eventCharacters: Math.ceil(ownAnswerLimitBytes / ownEventShare),
      values: ownValues,
    },
  }
}

/**
 * The limits for a request whose answer is expected to have this size. Throws `invalid_request` if that is
 * more than a customer's own vendor may answer.
 */
export function limitsFor(limits: AnswerLimits, expected: AnswerSize | undefined): AnswerLimits {
  if (!expected) return limits
  if (expected.bytes > Math.max(limits.expectedBytes, limits.wholeBytes)) {
    const message = `The answer would have up to ${expected.bytes} bytes, and at most ${limits.expectedBytes} are read over a credential of your own. Ask for less in one request, or for base64 in place of numbers.`
    throw new Problem('invalid_request', { param: 'input', message })
  }
  return {
    ...limits,
    wholeBytes: Math.max(limits.wholeBytes, expected.bytes),
    values: Math.max(limits.values, expected.values),
  }
}

type AnswerSettings = Pick<Config, 'answerLimitBytes' | 'ownAnswerLimitBytes'>

const [quote, backslash] = [0x22, 0x5c]

/** `[`, `{`, `,` and `:`: every value and every name follows one of them. */
const separators = new Set([0x5b, 0x7b, 0x2c, 0x3a])

/**
 * Counts the values of a JSON text in one pass, without parsing it: parsing a few megabytes of `[],` takes
 * seconds, where one long string of that size costs nothing. Throws `broken` where there are more than
 * `limit`.
 */
export function checkValues(json: Buffer, limit: number): void {
  if (json.length <= limit) return
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === quote) at = endOfString(json, at)
    else if (separators.has(byte) && ++values > limit)
      throw new UpstreamFailure('broken', { message: `the answer has more than ${limit} values` })
  }
}

/** The position of the closing quote of the string that begins at `start`. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let first = end
    while (json[first - 1] === backslash) first -= 1
    if ((end - first) % 2 === 0) return end
  }
  return json.length
}
