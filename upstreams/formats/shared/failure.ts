import type { IncomingHttpHeaders } from 'node:http'
import type { FailureKind } from '../../upstream-failure.ts'

/** Statuses that say what is wrong with the request itself. */
const ofTheRequest = new Set([400, 409, 413, 415, 422])

/**
 * Why a call failed, by the status of its answer. A refused credential, an unknown model and a used-up quota
 * are ours to mend, never the client's 401. What no vendor answers to a wrong request, such as a proxy's
 * redirect, is never told as the client's fault: another credential or model may be asked instead.
 */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403 || status === 404) return 'auth'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  if (status === 408 || status === 504) return 'timeout'
  return ofTheRequest.has(status) ? 'request' : 'broken'
}

/**
 * In how many whole seconds the vendor wants to be asked again: `retry-after-ms`, or `retry-after` in seconds
 * or as an HTTP date, which is read by the vendor's own clock where it tells the time. Undefined where it
 * says nothing that is still to come.
 */
export function readRetryAfter(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const ms = numberIn(headers['retry-after-ms'])
  const waitMs = ms ?? waitOf(headers['retry-after'], Date.parse(headers.date ?? '') || now)
  return waitMs && waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
}

function waitOf(value: string | undefined, now: number): number | undefined {
  const seconds = numberIn(value)
  if (seconds !== undefined) return seconds * 1000
  return httpDate.test(value ?? '') ? Date.parse(value ?? '') - now : undefined
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`: the form that is sent today. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function numberIn(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

/**
 * Much more than is ever told of it (`UpstreamFailure.of`), so that no secret in it is cut before it is
 * blanked.
 */
const mostBytes = 16_384

/** What a vendor says in a body that is no JSON: its beginning. */
export function readText(body: Buffer): string {
  return body.toString('utf8', 0, mostBytes)
}
