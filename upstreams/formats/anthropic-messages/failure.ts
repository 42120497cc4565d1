import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../../platform/checks.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../../upstream-failure.ts'
import { kindOfStatus, readDetails, readRetryAfter } from '../shared/failure.ts'

/** Reads an answer with an error status, of the vendor itself or of Bedrock. */
export function readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const details = { ...readDetails(body, readError), status, retryAfterSeconds: readRetryAfter(headers) }
  return new UpstreamFailure(isOutOfCredit(details) ? 'auth' : kindOfStatus(status), details)
}

/** Returns the failure for an error that replaces an answer, or that occurs in a stream. */
export function failureOfErrorBody(body: unknown): UpstreamFailure {
  const type = isRecord(body) && isRecord(body.error) ? String(body.error.type) : ''
  return new UpstreamFailure(kinds.get(type) ?? 'broken', readError(body))
}

const kinds = new Map<string, FailureKind>([
  ['invalid_request_error', 'request'],
  ['request_too_large', 'request'],
  ['authentication_error', 'auth'],
  ['billing_error', 'auth'],
  ['permission_error', 'auth'],
  ['not_found_error', 'auth'],
  ['rate_limit_error', 'busy'],
  ['overloaded_error', 'busy'],
  ['timeout_error', 'timeout'],
  ['api_error', 'broken'],
])

/** The vendor reports an exhausted balance with status 400. */
function isOutOfCredit({ message }: FailureDetails): boolean {
  return /credit balance is too low/i.test(message ?? '')
}

/** Reads `{error: {message}}` of the vendor, or `{message}` of Bedrock. */
function readError(body: unknown): FailureDetails {
  if (!isRecord(body)) return {}
  const message = isRecord(body.error) ? body.error.message : (body.message ?? body.Message)
  if (typeof message !== 'string' || message === '') return {}
  return { message, code: isTooLong(message) ? 'context_length_exceeded' : undefined }
}

function isTooLong(message: string): boolean {
  return /(prompt|input) is too long|exceed context limit/i.test(message)
}

/**
 * Returns the call without thinking blocks, if the vendor refused a signature among them: they can be from another
 * vendor, or signed with keys that the vendor has replaced. The conversation can continue without them.
 */
export function withoutThinking({ details }: UpstreamFailure, call: ChatCall): ChatCall | undefined {
  const { request } = call
  if (!/\bsignature\b/i.test(details.message ?? '')) return undefined
  if (!request.messages.some(({ thinking_blocks: blocks }) => blocks?.length)) return undefined
  const messages = request.messages.map(message => ({ ...message, thinking_blocks: undefined }))
  return { ...call, request: { ...request, messages } }
}
