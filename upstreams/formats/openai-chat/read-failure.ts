import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../../platform/is-record.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../../upstream-failure.ts'
import { kindOfStatus } from '../shared/answer/kind-of-status.ts'
import { readRetryAfter } from '../shared/answer/read-retry-after.ts'
import { readText } from '../shared/answer/read-text.ts'
import { nameParameter } from './request/name-parameter.ts'

/**
 * An answer with an error status, its parameter named as the client of `call` knows it. A refused credential, an unknown
 * model and a used-up quota are ours to mend.
 */
export function readFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  call: ChatCall,
): UpstreamFailure {
  const said = nameIt(detailsOf(body), call)
  const details = { ...said, status, retryAfterSeconds: readRetryAfter(headers) }
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

function nameIt({ message, param, ...details }: FailureDetails, call: ChatCall): FailureDetails {
  if (!param) return { ...details, message, param }
  const named = nameParameter(param, call)
  return { ...details, message: message?.replaceAll(param, named), param: named }
}

function detailsOf(body: Buffer): FailureDetails {
  try {
    return readError(JSON.parse(body.toString()))
  } catch {
    return { message: readText(body) }
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
