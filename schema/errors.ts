import { errorCatalogue } from './error-catalogue.ts'

export type ErrorName = keyof typeof errorCatalogue

export interface ProblemDetails {
  /** The invalid parameter, in the client's notation: `messages[0].content`. */
  param?: string | undefined
  /** The public text, if it is more specific than the catalogue's. */
  message?: string | undefined
  /** The number of seconds after which to retry, sent as `Retry-After`. */
  retryAfterSeconds?: number | undefined
  /** The vendor's error code, if it is more specific than the catalogue's. */
  code?: string | undefined
  /** The HTTP status, if the vendor's status is passed on. */
  status?: number | undefined
  /** The headers about the key's rate limits: `x-ratelimit-*`. */
  rateHeaders?: Record<string, string> | undefined
  /** Other errors about the same input. The graph reports all of them, REST only the first. */
  others?: readonly Problem[] | undefined
  /** Whether SDKs should retry automatically (`x-should-retry`). */
  shouldRetry?: boolean | undefined
  /** Text for the log. It is never sent to the client. */
  internal?: string | undefined
  cause?: unknown
}

/** An error with a name in the catalogue. All intended errors are of this class. */
export class Problem extends Error {
  readonly errorName: ErrorName
  readonly details: ProblemDetails

  constructor(errorName: ErrorName, details: ProblemDetails = {}) {
    super(details.message ?? errorCatalogue[errorName].text, { cause: details.cause })
    this.name = 'Problem'
    this.errorName = errorName
    this.details = details
  }

  get status(): number {
    return this.details.status ?? errorCatalogue[this.errorName].status
  }

  get code(): string {
    return this.details.code ?? this.errorName
  }
}

/** The JSON format of errors: `{code, msg}`, and the fields that OpenAI-style clients read. */
export interface ErrorBody {
  code: number
  msg: string
  error?: { message: string; type: string; code: string; param: string | null }
}

/** Presents a problem as an error body. The 401 of inference has only `{code, msg}`. */
export function presentProblem(problem: Problem): ErrorBody {
  const body: ErrorBody = { code: problem.status, msg: problem.message }
  if (problem.errorName === 'no_access') return body
  const { type } = errorCatalogue[problem.errorName]
  return {
    ...body,
    error: { message: problem.message, type, code: problem.code, param: problem.details.param ?? null },
  }
}

/**
 * Converts any thrown value to a problem. Values without a name in the catalogue become `internal`, and their text
 * stays in the log. Errors of layers that do not import the catalogue can name their entry in `errorName`.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof Error && 'errorName' in error && isErrorName(error.errorName)) {
    return new Problem(error.errorName, { message: error.message || undefined, cause: error.cause })
  }
  return new Problem('internal', {
    cause: error,
    internal: error instanceof Error ? error.message : String(error),
  })
}

export function isErrorName(name: unknown): name is ErrorName {
  return typeof name === 'string' && Object.hasOwn(errorCatalogue, name)
}
