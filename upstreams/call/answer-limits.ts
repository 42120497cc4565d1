import type { Config } from '../../platform/config/read-config.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** How much of a vendor's answer is read. */
export interface AnswerLimits {
  /** Bytes of a whole answer. */
  wholeBytes: number
  /** Bytes of a stream, from its first to its last. */
  streamBytes: number
  /** Characters of one event of a stream. */
  eventCharacters: number
  /** Values in the JSON of a whole answer: what parsing costs beside its bytes. */
  values: number
}

/** The limits of the operator's own vendors, and of those that customers lead to: the latter may be hostile. */
export interface AllAnswerLimits {
  platform: AnswerLimits
  own: AnswerLimits
}

/** A stream may be so many times as long as a whole answer: each of its tokens comes with a frame of its own. */
const streamFactor = 16

/** One event is a part of an answer: where the vendor is the customer's, a small one. */
const ownEventShare = 16

/** Some 2,000 tokens with twenty alternatives each; parsed in a tenth of a second at most. */
const ownValues = 500_000

/** The limits that the settings say. */
export function answerLimitsOf({ answerLimitBytes, ownAnswerLimitBytes }: AnswerSettings): AllAnswerLimits {
  const wholeOf = (wholeBytes: number) => ({ wholeBytes, streamBytes: wholeBytes * streamFactor })
  return {
    platform: {
      ...wholeOf(answerLimitBytes),
      eventCharacters: answerLimitBytes,
      values: Number.POSITIVE_INFINITY,
    },
    own: {
      ...wholeOf(ownAnswerLimitBytes),
      eventCharacters: Math.ceil(ownAnswerLimitBytes / ownEventShare),
      values: ownValues,
    },
  }
}

type AnswerSettings = Pick<Config, 'answerLimitBytes' | 'ownAnswerLimitBytes'>

const [quote, backslash] = [0x22, 0x5c]

/** `[`, `{`, `,` and `:`: one of them stands before each value and each name. */
const separators = new Set([0x5b, 0x7b, 0x2c, 0x3a])

/**
 * Counts the values of a JSON text without parsing it, in one pass: a few megabytes of `[],` cost seconds where a long
 * text costs nothing. Throws `broken` where there are more than `limit`.
 */
export function checkValues(json: Buffer, limit: number): void {
  if (json.length <= limit) return
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === quote) at = endOfText(json, at)
    else if (separators.has(byte) && ++values > limit)
      throw new UpstreamFailure('broken', { message: `the answer has more than ${limit} values` })
  }
}

/** Where the text that begins at `start` has its closing quote. */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let first = end
    while (json[first - 1] === backslash) first -= 1
    if ((end - first) % 2 === 0) return end
  }
  return json.length
}
