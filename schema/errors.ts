/** What GraphQL clients branch on, by HTTP status. */
const graphqlCodes: Record<number, string> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
}

/**
 * Every error that a caller can see, declared once: HTTP status, error type, GraphQL code, public text.
 *
 * Throw by name: `throw new Problem('key_not_found')`. The entry points translate by look-up and add nothing.
 * What each of them means for clients: docs/behaviour.md, Errors.
 */
export const errorCatalogue = {
  // 400: the request itself
  invalid_json: entry(400, 'invalid_request_error', 'The body is not valid JSON.'),
  invalid_request: entry(400, 'invalid_request_error', 'The request is not valid.'),
  missing_parameter: entry(400, 'invalid_request_error', 'A required parameter is missing.'),
  unsupported_parameter: entry(400, 'invalid_request_error', 'The model does not take this parameter.'),
  previous_response_not_found: entry(
    400,
    'invalid_request_error',
    'previous_response_id is not supported: this endpoint is stateless. Send the full input with every turn.',
  ),
  thread_unsupported_request: entry(
    400,
    'invalid_request_error',
    'thread is not supported: this endpoint is stateless. Send all messages with every turn.',
  ),
  context_length_exceeded: entry(400, 'invalid_request_error', 'The input is longer than the model allows.'),
  tokens_exceed_rate_limit: entry(
    400,
    'invalid_request_error',
    'The request takes more tokens than a rate limit of the key allows in its whole window.',
  ),
  webhook_refused: entry(
    400,
    'invalid_request_error',
    'The event is not signed with our secret, is not from the last five minutes, or has an unknown shape.',
  ),
  link_refused: entry(
    400,
    'invalid_request_error',
    'The link was used, has expired, or is not one of ours. Request a new e-mail.',
  ),
  content_policy: entry(400, 'invalid_request_error', 'The vendor refused the content of the request.'),

  // 401: who is calling
  no_access: entry(401, 'authentication_error', 'You do not have access permissions'),
  unauthenticated: entry(
    401,
    'authentication_error',
    'Sign in to do this: the credential is missing or invalid.',
  ),
  token_expired: entry(401, 'authentication_error', 'The token has expired or was revoked.'),
  jwt_required: entry(
    401,
    'authentication_error',
    'An API key is not accepted here: use the token of a session.',
  ),
  wrong_credentials: entry(401, 'authentication_error', 'E-mail or password is wrong.'),

  // 402: money
  insufficient_credits: entry(
    402,
    'insufficient_quota',
    'Insufficient Credits: the cost exceeds the available balance.',
  ),
  credit_limit_reached: entry(
    402,
    'insufficient_quota',
    'The credit_limit of the key is used up in the current period, or reserved by its requests in flight.',
  ),

  // 403: known, but may not
  account_suspended: entry(
    403,
    'permission_error',
    'The account is suspended. Contact the operator of this service.',
  ),
  key_disabled: entry(403, 'permission_error', 'The API key is disabled.'),
  key_expired: entry(403, 'permission_error', 'The API key has expired.'),
  byok_disabled: entry(
    403,
    'permission_error',
    'Your own credential for this vendor says always_use and is disabled: enable it, or take always_use away.',
  ),
  wrong_password: entry(403, 'permission_error', 'The current password is wrong.'),
  email_not_confirmed: entry(
    403,
    'permission_error',
    'Nobody has confirmed the e-mail address of this account. Open the link in the e-mail, or request another one with POST /api/v1/auth/request-email-confirmation.',
  ),
  mail_not_configured: entry(403, 'permission_error', 'This installation sends no e-mail. Ask its operator.'),
  ip_not_allowed: entry(403, 'permission_error', 'The API key does not allow calls from this address.'),
  provisioning_key_refused: entry(
    403,
    'permission_error',
    'A provisioning key cannot call models: use an ordinary key.',
  ),
  forbidden: entry(403, 'permission_error', 'This credential may not do that.'),
  top_up_closed: entry(403, 'permission_error', 'No cards are taken here: ask the operator for credits.'),
  sign_up_closed: entry(403, 'permission_error', 'Sign-up is closed: ask the operator for an account.'),

  // 404, 409, 413, 415, 422
  not_found: entry(404, 'invalid_request_error', 'There is nothing at this address.'),
  key_not_found: entry(404, 'invalid_request_error', 'No API key of this account has that id.'),
  credential_not_found: entry(404, 'invalid_request_error', 'No credential of this account has that id.'),
  alert_not_found: entry(404, 'invalid_request_error', 'No alert of this account has that id.'),
  model_not_found: entry(404, 'invalid_request_error', 'There is no such model, or it is not active.'),
  model_unavailable: entry(
    404,
    'invalid_request_error',
    'No credential reaches the vendor of this model. Add your own credential for the vendor, or choose a model from GET /v1/models.',
  ),
  media_not_found: entry(404, 'invalid_request_error', 'There is no such file.'),
  task_not_found: entry(404, 'invalid_request_error', 'No task of this account has that id.'),
  method_not_allowed: entry(405, 'invalid_request_error', 'The address does not take this method.'),
  not_acceptable: entry(406, 'invalid_request_error', 'This address answers JSON, which Accept excludes.'),
  request_timeout: entry(408, 'invalid_request_error', 'The request did not come in time.'),
  conflict: entry(409, 'invalid_request_error', 'The request conflicts with what is there.'),
  idempotency_conflict: entry(
    409,
    'invalid_request_error',
    'Another request was sent with this Idempotency-Key.',
  ),
  task_not_cancellable: entry(
    409,
    'invalid_request_error',
    'The task cannot be cancelled: it has ended, or its vendor cannot cancel it any more.',
  ),
  media_expired: entry(410, 'invalid_request_error', 'The file has expired and was removed.'),
  body_too_large: entry(413, 'invalid_request_error', 'The body is larger than allowed.'),
  unsupported_media_type: entry(415, 'invalid_request_error', 'Send the body as application/json.'),
  range_not_satisfiable: entry(416, 'invalid_request_error', 'The file has no such range of bytes.'),
  answer_not_kept: entry(
    422,
    'invalid_request_error',
    'The answer under this Idempotency-Key was too long to be kept, or the account has kept as much as it may in a day. The answer was delivered and charged once; nothing is charged now. Retry with another key.',
  ),
  validation_failed: entry(422, 'invalid_request_error', 'A value is not valid.'),

  // 429
  rate_limit_exceeded: entry(429, 'rate_limit_error', 'Rate limit exceeded.'),
  allowance_exceeded: entry(
    429,
    'rate_limit_error',
    'The account has used up an allowance. Retry after the time in Retry-After.',
  ),
  too_many_tries: entry(429, 'rate_limit_error', 'Too many tries. Wait before the next one.'),

  // 5xx
  internal: entry(500, 'server_error', 'Something went wrong on our side. Nothing was charged.'),
  upstream_error: entry(502, 'upstream_error', 'The vendor failed to answer. Nothing was charged.'),
  upstream_auth: entry(502, 'upstream_error', 'The vendor refused our credential. Nothing was charged.'),
  control_unavailable: entry(502, 'server_error', 'The management service does not answer. Try again.'),
  upstream_busy: entry(503, 'upstream_error', 'The vendor is overloaded. Nothing was charged; try again.'),
  overloaded: entry(503, 'server_error', 'Too busy right now. Try again.'),
  media_not_stored: entry(
    501,
    'server_error',
    'This installation stores no media: give a public https address in place of a file.',
  ),
  unavailable: entry(503, 'server_error', 'A service that this needs is not reachable. Nothing was charged.'),
  settlement_unknown: entry(
    503,
    'server_error',
    'The database did not say in time what became of the charge: one may stand for this request. Where no answer was delivered, it is refunded.',
  ),
  task_pending: entry(504, 'server_error', 'The task takes longer than a request waits. It goes on.'),
  upstream_timeout: entry(504, 'upstream_error', 'The vendor did not answer in time. Nothing was charged.'),
} as const

export type ErrorName = keyof typeof errorCatalogue

export interface CatalogueEntry {
  readonly status: number
  readonly type: string
  readonly graphqlCode: string
  readonly text: string
}

export interface ProblemDetails {
  /** The parameter at fault, as the client spells it: `messages[0].content`. */
  param?: string | undefined
  /** Public text, when it can be more exact than the catalogue's. */
  message?: string | undefined
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number | undefined
  /** The vendor's own error code, where that is more use to the client than ours. */
  code?: string | undefined
  /** The HTTP status, where the vendor's own is passed on. */
  status?: number | undefined
  /** What the answer says of the key's rates: `x-ratelimit-*`. */
  rateHeaders?: Record<string, string> | undefined
  /** Further faults of the same input: the graph tells them all, REST the first. */
  others?: readonly Problem[] | undefined
  /** `false` tells SDKs not to try again by themselves (`x-should-retry`). */
  shouldRetry?: boolean | undefined
  /** For the log only, never for the client. */
  internal?: string | undefined
  cause?: unknown
}

/** An error with a name in the catalogue: the only kind that the system throws on purpose. */
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

/** The one JSON shape of an error: `{code, msg}`, plus what OpenAI-style clients read. */
export interface ErrorBody {
  code: number
  msg: string
  error?: { message: string; type: string; code: string; param: string | null }
}

/** Presents a problem in that shape. The exact inference 401 carries `{code, msg}` alone. */
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
 * Anything thrown, as a problem: what has no name is `internal`, and its words stay in the log. Errors of floors that
 * do not know the catalogue may name their entry, as `errorName`.
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

function entry(status: number, type: string, text: string): CatalogueEntry {
  return { status, type, text, graphqlCode: graphqlCodes[status] ?? 'INTERNAL_SERVER_ERROR' }
}
