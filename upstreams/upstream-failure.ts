import { blankSecrets } from '../platform/secrets/blank-secrets.ts'
import { type ErrorName, Problem, type ProblemDetails } from '../schema/errors.ts'

/** Why a call to a vendor failed. */
export type FailureKind =
  /** The vendor refused the credential: ours to mend, never the client's 401. */
  | 'auth'
  /** The vendor says that the request is wrong; its words help the client. */
  | 'request'
  /** Too many requests, or overloaded. */
  | 'busy'
  /** It failed again and again and is left alone for a while: it was not called. */
  | 'circuit_open'
  /** It failed, or answered with something that is no answer. */
  | 'broken'
  /** It did not begin, or did not go on, in time. */
  | 'timeout'
  /** The client left, so we hung up. */
  | 'aborted'

export interface FailureDetails {
  status?: number | undefined
  /** The vendor's own words. Secrets of ours never appear in them. */
  message?: string | undefined
  code?: string | undefined
  param?: string | undefined
  retryAfterSeconds?: number | undefined
  /** The customer's credential that was used; absent for the platform's. */
  byokId?: string | undefined
  cause?: unknown
}

/** Characters of a vendor's words that are told: enough for any complaint, and little of a page. */
const mostTold = 1_000

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

  /**
   * The same failure, of a call with that credential, which the vendor may have quoted: its secrets are blanked, and
   * long words are cut only after that.
   */
  of({ byokId, apiKey, secrets = [] }: Credential): UpstreamFailure {
    const blank = (words: string | undefined) => words && blankSecrets(words, [apiKey, ...secrets])
    const { message, code, param } = this.details
    const words = blank(message)?.slice(0, mostTold).toWellFormed()
    const told = { message: words, code: blank(code), param: blank(param) }
    return new UpstreamFailure(this.kind, { ...this.details, ...told, byokId })
  }
}

/** What a failed call was made with. */
interface Credential {
  /** Absent for the platform's. */
  byokId?: string | undefined
  apiKey: string
  /** The other secrets that it carries. */
  secrets?: readonly string[] | undefined
}

/**
 * What the client is told of it. The vendor's words are passed on where they help: for a wrong request, and for a
 * credential of the customer's own, which is the customer's to mend. A refused credential is never the client's 401.
 */
export function problemOf(failure: UpstreamFailure): Problem {
  const { message, code, param, retryAfterSeconds, byokId } = failure.details
  const internal = `${failure.kind} ${failure.details.status ?? ''}: ${message ?? ''}`
  if (failure.kind === 'request') {
    const name: ErrorName = code === 'context_length_exceeded' ? code : 'invalid_request'
    return new Problem(name, { message, code: code ?? undefined, param, internal })
  }
  const words = byokId ? `The vendor answered your own credential: ${message ?? failure.kind}` : undefined
  const details: ProblemDetails = { message: words, retryAfterSeconds, internal, cause: failure }
  return new Problem(names[failure.kind], details)
}

const names: Record<Exclude<FailureKind, 'request'>, ErrorName> = {
  auth: 'upstream_auth',
  busy: 'upstream_busy',
  circuit_open: 'upstream_busy',
  broken: 'upstream_error',
  timeout: 'upstream_timeout',
  aborted: 'upstream_error',
}
