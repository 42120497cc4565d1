import type { IncomingHttpHeaders } from 'node:http'
import type { FailureDetails, FailureKind } from '../../upstream-failure.ts'

/** Statuses of an invalid request. */
const requestStatuses = new Set([400, 409, 413, 415, 422])

/**
 * Returns the kind of a failure by the status of the answer. For a refused credential, an unknown model or an exhausted
 * quota, the client never gets a 401, because the operator or the credential's owner must fix it. A status that no
 * vendor sends for an invalid request, such as a proxy's redirect, never counts as the client's mistake, so another
 * credential or model can be tried.
 */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403 || status === 404) return 'auth'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  if (status === 408 || status === 504) return 'timeout'
  return requestStatuses.has(status) ? 'request' : 'broken'
}

/**
 * Returns the number of seconds, rounded up, after which the vendor accepts the next request: from `retry-after-ms`, or
 * from `retry-after` in seconds or as an HTTP date. A date is compared with the vendor's clock if it sends `date`.
 * Returns undefined without such a header, and for a time in the past.
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
