import type { IncomingHttpHeaders } from 'node:http'
import type { FailureDetails, FailureKind } from '../../upstream-failure.ts'

/** Statuses of an invalid request. */
const requestStatuses = new Set([400, 409, 413, 415, 422])

/**
 * The kind of a failure, by the status of the answer. A refused credential, an unknown model and an exhausted
 * quota are ours to mend, never the client's 401. A status that no vendor sends for an invalid request, such
 * as a proxy's redirect, never counts as the client's mistake: another credential or model may be tried.
 */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403 || status === 404) return 'auth'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  if (status === 408 || status === 504) return 'timeout'
  return requestStatuses.has(status) ? 'request' : 'broken'
}

/**
 * After how many seconds, rounded up, the vendor wants the next request: `retry-after-ms`, or `retry-after`
 * in seconds or as an HTTP date. A date is compared with the vendor's own clock where it sends `date`.
 * Undefined without such a header, and for a time that has passed.
 */
export function readRetryAfter(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const ms = parseNumber(headers['retry-after-ms'])
  const waitMs = ms ?? waitOf(headers['retry-after'], Date.parse(headers.date ?? '') || now)
  return waitMs && waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
}

function waitOf(value: string | undefined, now: number): number | undefined {
  const seconds = parseNumber(value)
  if (seconds !== undefined) return seconds * 1000
  return httpDate.test(value ?? '') ? Date.parse(value ?? '') - now : undefined
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the format of HTTP dates. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function parseNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

/**
 * Maximum size of an error that is not JSON, in bytes. It is far longer than the part of a message that is kept
 * (`UpstreamFailure.redactFor`), so that no secret is cut in half before it is redacted.
 */
const maxPlainBytes = 16_384

/** Returns the beginning of an error that is not JSON. */
export function readPlainText(body: Buffer): string {
  return body.toString('utf8', 0, maxPlainBytes)
}

/** Parses the body of an error. Returns undefined if it is not JSON. */
export function parseErrorBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** Reads the body of an error with `read`. If it is not JSON, the message is its beginning. */
export function readDetails(body: Buffer, read: (error: unknown) => FailureDetails): FailureDetails {
  const error = parseErrorBody(body)
  return error === undefined ? { message: readPlainText(body) } : read(error)
}
