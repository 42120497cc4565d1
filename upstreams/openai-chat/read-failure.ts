import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../platform/is-record.ts'
import { kindOfStatus } from '../kind-of-status.ts'
import { readRetryAfter } from '../read-retry-after.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../upstream-failure.ts'

/** An answer with an error status. A refused credential, an unknown model and a used-up quota are ours to mend. */
export function readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const details = { ...detailsOf(body), status, retryAfterSeconds: readRetryAfter(headers) }
  return new UpstreamFailure(kindOf(status, details.code), details)
}

/** `{"error": …}` in place of an answer, or in the middle of a stream. */
export function failureOfErrorBody(body: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', readError(body))
}

/** A used-up quota has the status of too many requests, and waiting does not help. */
function kindOf(status: number, code: string | undefined): FailureKind {
  return code === 'insufficient_quota' ? 'auth' : kindOfStatus(status)
}

function detailsOf(body: Buffer): FailureDetails {
  try {
    return readError(JSON.parse(body.toString()))
  } catch {
    return { message: body.toString('utf8', 0, 200) }
  }
}

function readError(body: unknown): FailureDetails {
  const error: unknown = isRecord(body) ? (body.error ?? body) : undefined
  if (!isRecord(error)) return {}
  return { message: textOf(error.message), code: textOf(error.code), param: textOf(error.param) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
