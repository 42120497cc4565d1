import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../platform/is-record.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../upstream-failure.ts'

/** An answer with an error status. A refused credential, an unknown model and a used-up quota are ours to mend. */
export function readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const details = { ...detailsOf(body), status, retryAfterSeconds: retryAfterOf(headers) }
  return new UpstreamFailure(kindOf(status, details.code), details)
}

/** `{"error": …}` in place of an answer, or in the middle of a stream. */
export function failureOfErrorBody(body: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', readError(body))
}

function kindOf(status: number, code: string | undefined): FailureKind {
  if (status === 401 || status === 402 || status === 403 || status === 404) return 'auth'
  if (status === 429) return code === 'insufficient_quota' ? 'auth' : 'busy'
  if (status === 503 || status === 529) return 'busy'
  if (status === 408 || status === 504) return 'timeout'
  return status < 500 ? 'request' : 'broken'
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

/** Seconds, from `retry-after-ms` or `retry-after` in seconds. */
function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const ms = Number(headers['retry-after-ms'])
  if (ms > 0) return Math.ceil(ms / 1000)
  const seconds = Number(headers['retry-after'])
  return seconds > 0 ? Math.ceil(seconds) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
