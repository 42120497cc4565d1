import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../../platform/checks.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../../upstream-failure.ts'
import { kindOfStatus, parseErrorBody, readPlainText, readRetryAfter } from '../shared/failure.ts'

/**
 * Reads an answer with an error status. The operator or the credential's owner must fix a refused credential, which
 * this vendor reports as an invalid request, an unknown model, and a project without permission. If the request was not
 * for a stream, the vendor wraps its error in a list.
 */
export function readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const parsed = parseErrorBody(body)
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const error = isRecord(outer) ? outer.error : undefined
  const plain = { message: readPlainText(body) }
  return failureOf(status, isRecord(error) ? error : plain, headers)
}

/** Returns the failure for `error` in a response with status 200, or in a stream. */
export function failureOfError(error: unknown): UpstreamFailure {
  const fields = isRecord(error) ? error : {}
  const status = typeof fields.code === 'number' ? fields.code : 500
  return failureOf(status, fields, {})
}

function failureOf(
  status: number,
  error: Record<string, unknown>,
  headers: IncomingHttpHeaders,
): UpstreamFailure {
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : []
  const message = typeof error.message === 'string' ? error.message : undefined
  const isTooLong = /token count .*exceeds the maximum/i.test(message ?? '')
  const failure: FailureDetails = {
    status,
    message,
    code: isTooLong ? 'context_length_exceeded' : undefined,
    retryAfterSeconds: retryDelayOf(details) ?? readRetryAfter(headers),
  }
  return new UpstreamFailure(kindOf(status, error, details), failure)
}

/** Reasons with which the vendor refuses a credential, although the status is that of an invalid request. */
const keyReasons = ['API_KEY_INVALID', 'API_KEY_EXPIRED', 'API_KEY_SERVICE_BLOCKED']

function kindOf(
  status: number,
  { status: name }: Record<string, unknown>,
  details: readonly Record<string, unknown>[],
): FailureKind {
  if (details.some(({ reason }) => keyReasons.some(known => known === reason))) return 'auth'
  if (name === 'FAILED_PRECONDITION') return 'auth' // billing or region of the operator's project
  return kindOfStatus(status)
}

/** Reads `RetryInfo`, a duration such as `17s` or `0.5s`. */
function retryDelayOf(details: readonly Record<string, unknown>[]): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = typeof retryDelay === 'string' ? Number(/^([\d.]+)s$/.exec(retryDelay)?.[1]) : Number.NaN
    if (seconds > 0) return Math.ceil(seconds)
  }
  return undefined
}
