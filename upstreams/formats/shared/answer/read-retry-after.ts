import type { IncomingHttpHeaders } from 'node:http'

/**
 * In how many whole seconds the vendor wants to be asked again: `retry-after-ms`, or `retry-after` in seconds or as
 * an HTTP date, which is read by the vendor's own clock where it tells the time. Undefined where it says nothing that
 * is still to come.
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
