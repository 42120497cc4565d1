import type { AnswerSize } from '../chat-adapter.ts'
import { invalid } from '../formats/shared/refusals.ts'

/** Maximum sizes of a vendor's answer. A larger answer fails (docs/behaviour.md, BYOK). */
export interface AnswerLimits {
  /** Bytes of a whole answer. */
  wholeBytes: number
  /** Bytes of a whole answer, if the request asks for an answer of that size. */
  expectedBytes: number
  /** Total bytes of a stream. */
  streamBytes: number
  /** Bytes of an answer that contains generated files. */
  mediaBytes: number
  /** Characters of one event of a stream. */
  eventCharacters: number
  /** Values in the JSON of a whole answer. Like its bytes, they determine the cost of parsing. */
  values: number
}

/** The limits for the operator's vendors, and for addresses that customers name, which can be hostile. */
export interface AllAnswerLimits {
  platform: AnswerLimits
  own: AnswerLimits
}

/** Maximum size of a whole answer, and of one event of a stream, over the operator's credential. */
const maxAnswerBytes = 33_554_432

/** Maximum size of a whole answer over a customer's own credential. */
const maxOwnAnswerBytes = 4_194_304

/**
 * Maximum size of a stream as a multiple of a whole answer: each token has a separate event.
 */
const streamFactor = 16

/** Maximum size of an answer with generated files, such as images in base64, as a multiple of a whole answer. */
const mediaFactor = 4

/** Maximum size of an event from a customer's own vendor, as a share of the largest whole answer. */
const ownEventShare = 16

/** Maximum number of values: enough for 2,000 tokens with twenty alternatives each, and parsed within 100 ms. */
const ownValues = 500_000

export const answerLimits: AllAnswerLimits = {
  platform: {
    ...wholeOf(maxAnswerBytes),
    expectedBytes: Number.POSITIVE_INFINITY,
    eventCharacters: maxAnswerBytes,
    values: Number.POSITIVE_INFINITY,
  },
  own: {
    ...wholeOf(maxOwnAnswerBytes),
    expectedBytes: maxAnswerBytes,
    eventCharacters: Math.ceil(maxOwnAnswerBytes / ownEventShare),
    values: ownValues,
  },
}

function wholeOf(wholeBytes: number) {
  return {
    wholeBytes,
    streamBytes: wholeBytes * streamFactor,
    mediaBytes: wholeBytes * mediaFactor,
  }
}

/**
 * Returns the limits for a request whose answer is expected to have this size. Throws `invalid_request` if the size
 * exceeds the limit for a customer's own vendor.
 */
export function limitsFor(limits: AnswerLimits, expected: AnswerSize | undefined): AnswerLimits {
  if (!expected) return limits
  if (expected.bytes > Math.max(limits.expectedBytes, limits.wholeBytes)) {
    throw invalid(
      'input',
      `The answer would have up to ${expected.bytes} bytes, and at most ${limits.expectedBytes} are read over a credential of your own. Ask for less in one request, or for base64 in place of numbers.`,
    )
  }
  return {
    ...limits,
    wholeBytes: Math.max(limits.wholeBytes, expected.bytes),
    values: Math.max(limits.values, expected.values),
  }
}
