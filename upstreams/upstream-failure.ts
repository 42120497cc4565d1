import { redactSecrets, Secrets } from '../platform/secrets/redact-secrets.ts'
import { asProblem, type ErrorName, Problem, type ProblemDetails } from '../schema/errors.ts'
import type { Target } from './targets.ts'

/** Why a call to a vendor failed. */
export type FailureKind =
  /**
   * The vendor refused the credential. The operator or the credential's owner must fix it, so the client never gets a
   * 401.
   */
  | 'auth'
  /** The vendor refused the request as invalid; its message helps the client. */
  | 'request'
  /** The vendor received too many requests, or is overloaded. */
  | 'busy'
  /** The circuit breaker is open after many failures: the vendor was not called. */
  | 'circuit_open'
  /** The vendor failed, or its answer could not be read. */
  | 'broken'
  /** The answer did not begin or continue in time. */
  | 'timeout'
  /** The client disconnected, so the call was aborted. */
  | 'aborted'

export interface FailureDetails {
  status?: number | undefined
  /** The vendor's own message. */
  message?: string | undefined
  code?: string | undefined
  param?: string | undefined
  retryAfterSeconds?: number | undefined
  /** The customer's credential that was used; absent for the platform's. */
  byokId?: string | undefined
  cause?: unknown
}

/**
 * Maximum length of a vendor's message in errors and logs, in characters: enough for any error, and little of an HTML
 * page.
 */
const maxMessageCharacters = 1_000

/** A call to a vendor that failed. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind
  readonly details: FailureDetails

  constructor(kind: FailureKind, details: FailureDetails = {}) {
    super(details.message ?? kind, { cause: details.cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
    this.details = details
  }

  /** The status and the message for `last_error` of an own credential. */
  get outcome(): { status: number | undefined; message: string } {
    const { status, message } = this.details
    return { status, message: message ?? this.kind }
  }

  /**
   * Returns the failure without the credential's secrets, for clients and logs: a vendor may quote them. A long message
   * is cut only after they are redacted.
   */
  redactFor({
    byokId,
    apiKey,
    secrets = new Secrets([apiKey]),
  }: Pick<Target, 'byokId' | 'apiKey' | 'secrets'>): UpstreamFailure {
    const redact = (text: string | undefined) => text && redactSecrets(text, secrets)
    const { message, code, param } = this.details
    return new UpstreamFailure(this.kind, {
      ...this.details,
      message: redact(message)?.slice(0, maxMessageCharacters).toWellFormed(),
      code: redact(code),
      param: redact(param),
      byokId,
    })
  }
}

/**
 * Returns the error that the client gets. It contains the vendor's message for an invalid request, and for a customer's
 * own credential, which the customer must fix.
 */
export function problemOf(failure: UpstreamFailure): Problem {
  const { message, code, param, retryAfterSeconds, byokId } = failure.details
  const internal = `${failure.kind} ${failure.details.status ?? ''}: ${message ?? ''}`
  if (failure.kind === 'request') {
    const name: ErrorName = code === 'context_length_exceeded' ? code : 'invalid_request'
    return new Problem(name, { message, code: code ?? undefined, param, internal })
  }
  const publicMessage = byokId
    ? `The vendor answered your own credential: ${message ?? failure.kind}`
    : undefined
  const details: ProblemDetails = { message: publicMessage, retryAfterSeconds, internal, cause: failure }
  return new Problem(errorNames[failure.kind], details)
}

/** Converts any thrown value to the problem that the client gets. */
export function problemIn(error: unknown): Problem {
  return error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
}

const errorNames: Record<Exclude<FailureKind, 'request'>, ErrorName> = {
  auth: 'upstream_auth',
  busy: 'upstream_busy',
  circuit_open: 'upstream_busy',
  broken: 'upstream_error',
  timeout: 'upstream_timeout',
  aborted: 'upstream_error',
}
