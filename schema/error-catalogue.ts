import { entry } from './error-entry.ts'

/**
 * Every error that a caller can see, declared once: HTTP status, error type, GraphQL code, public text.
 *
 * Throw by name: `throw new Problem('key_not_found')`. The entry points translate by look-up and add nothing.
 * docs/behaviour.md, Errors, explains each error to clients.
 */
export const errorCatalogue = {
  // 400: the request itself
  invalid_json: entry(400, 'invalid_request_error', 'The body is not valid JSON.'),
  invalid_request: entry(400, 'invalid_request_error', 'The request is not valid.'),
  missing_parameter: entry(400, 'invalid_request_error', 'A required parameter is missing.'),
  unsupported_parameter: entry(400, 'invalid_request_error', 'The model does not support this parameter.'),
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
    'The request needs more tokens than a rate limit of the key allows in a whole window.',
  ),
  webhook_refused: entry(
    400,
    'invalid_request_error',
    'The event has an invalid signature, is older than five minutes, or has an unknown format.',
  ),
  link_refused: entry(
    400,
    'invalid_request_error',
    'The link is invalid, expired or already used. Request a new e-mail.',
  ),
  challenge_refused: entry(
    400,
    'invalid_request_error',
    'The challenge is invalid, expired, already used, or of another session. Begin again.',
  ),
  passkey_refused: entry(
    400,
    'invalid_request_error',
    'The passkey was not created for this challenge and this service, or it is already stored.',
  ),
  sign_in_expired: entry(400, 'invalid_request_error', 'The sign-in expired, was used, or began elsewhere.'),
  logout_token_refused: entry(400, 'invalid_request_error', 'The logout token is not valid.'),
  content_policy: entry(400, 'invalid_request_error', 'The vendor refused the content of the request.'),

  // 401: who is calling
  no_access: entry(401, 'authentication_error', 'You do not have access permissions'),
  unauthenticated: entry(
    401,
    'authentication_error',
    'The credential is missing or invalid. Send a valid API key or session token.',
  ),
  token_expired: entry(401, 'authentication_error', 'The token has expired or was revoked.'),
  jwt_required: entry(
    401,
    'authentication_error',
    'API keys are not accepted for this operation. Use a session token.',
  ),
  wrong_credentials: entry(401, 'authentication_error', 'The e-mail address or password is wrong.'),

  // 402: money
  insufficient_credits: entry(
    402,
    'insufficient_quota',
    'Insufficient Credits: the cost exceeds the available balance.',
  ),
  credit_limit_reached: entry(
    402,
    'insufficient_quota',
    'The key has reached its credit_limit for the current period, including amounts reserved by requests in progress.',
  ),
  budget_limit_reached: entry(
    402,
    'insufficient_quota',
    'A budget of the account has reached its limit for the current period, including amounts reserved by requests in progress.',
  ),

  // 403: the caller is not permitted
  wrong_address: entry(
    403,
    'permission_error',
    'You have not confirmed the e-mail address of the invitation. Log in with that address, or log out to accept the invitation.',
  ),
  wrong_user: entry(
    403,
    'permission_error',
    'Another user requested this link. Log in as that user, then open the link again.',
  ),
  no_membership: entry(
    403,
    'permission_error',
    'You are not a member of any account. Ask the owner of an account for an invitation.',
  ),
  account_suspended: entry(
    403,
    'permission_error',
    'The account is suspended. Contact the operator of this service.',
  ),
  account_closed: entry(
    403,
    'permission_error',
    'The account is closed. If an owner closed it, its owners have an e-mail with a link that reopens it. Otherwise, contact the operator of this service.',
  ),
  key_disabled: entry(403, 'permission_error', 'The API key is disabled.'),
  key_expired: entry(403, 'permission_error', 'The API key has expired.'),
  playground_revoked: entry(
    403,
    'permission_error',
    'The key of the playground was revoked. Create it again with POST /api/v1/api-keys/playground.',
  ),
  byok_disabled: entry(
    403,
    'permission_error',
    "The account's only credential for this vendor has always_use and is disabled. Enable it or set always_use to false.",
  ),
  wrong_password: entry(403, 'permission_error', 'The current password is wrong.'),
  password_not_set: entry(
    403,
    'permission_error',
    'You have no password. Sign in again through your identity provider, or confirm with a passkey.',
  ),
  wrong_second_factor: entry(
    403,
    'permission_error',
    'The code, recovery code or passkey was not accepted. A code works once, and only for about a minute.',
  ),
  second_factor_required: entry(
    403,
    'permission_error',
    'The account requires a second factor, and you have none. Add one with POST /api/v1/auth/authenticator-apps or POST /api/v1/auth/passkeys.',
  ),
  confirmation_required: entry(
    403,
    'permission_error',
    'This operation needs a recent confirmation of your identity. Confirm it with POST /api/v1/auth/confirm, then retry.',
  ),
  passkeys_unavailable: entry(
    403,
    'permission_error',
    'Passkeys are not available: they need a domain name, and BASE_URL has an IP address.',
  ),
  email_not_confirmed: entry(
    403,
    'permission_error',
    'The e-mail address of this account is not confirmed. Open the link in the e-mail, or request another one with POST /api/v1/auth/request-email-confirmation.',
  ),
  mail_not_configured: entry(
    403,
    'permission_error',
    'E-mail is not configured. Contact the operator of this service.',
  ),
  ip_not_allowed: entry(403, 'permission_error', 'The API key does not allow requests from this IP address.'),
  model_not_allowed: entry(
    403,
    'permission_error',
    'The API key does not allow this model. See its allowed_models and allowed_vendors.',
  ),
  provisioning_key_refused: entry(
    403,
    'permission_error',
    'Provisioning keys cannot call models. Use an ordinary API key.',
  ),
  forbidden: entry(403, 'permission_error', 'The credential is not permitted to do this operation.'),
  top_up_closed: entry(
    403,
    'permission_error',
    'Card payments are not enabled. Ask the operator to add credits.',
  ),
  billing_portal_closed: entry(
    403,
    'permission_error',
    'The billing portal is not enabled. Ask the operator to change the billing details.',
  ),
  sign_in_refused: entry(403, 'permission_error', 'The identity provider did not confirm the sign-in.'),
  identity_not_linked: entry(403, 'permission_error', 'A user has this address. Log in to link it.'),
  sign_up_closed: entry(403, 'permission_error', 'Sign-up is not enabled. Ask the operator for an account.'),

  // 404, 409, 413, 415, 422
  not_found: entry(
    404,
    'invalid_request_error',
    'Not found. Check the method and path of the request. See /docs.',
  ),
  account_not_found: entry(404, 'invalid_request_error', 'You are not a member of an account with this ID.'),
  member_not_found: entry(404, 'invalid_request_error', 'The account has no member with this ID.'),
  invitation_not_found: entry(404, 'invalid_request_error', 'The account has no invitation with this ID.'),
  key_not_found: entry(404, 'invalid_request_error', 'The account has no API key with this ID.'),
  credential_not_found: entry(404, 'invalid_request_error', 'The account has no credential with this ID.'),
  alert_not_found: entry(404, 'invalid_request_error', 'The account has no alert with this ID.'),
  budget_not_found: entry(404, 'invalid_request_error', 'The account has no budget with this ID.'),
  issuer_not_found: entry(404, 'invalid_request_error', 'There is no identity provider with this name.'),
  identity_not_found: entry(404, 'invalid_request_error', 'You have no linked identity with this ID.'),
  model_not_found: entry(404, 'invalid_request_error', 'The model does not exist or is not active.'),
  model_unavailable: entry(
    404,
    'invalid_request_error',
    'There is no credential for the vendor of this model. Add your own credential for the vendor, or choose a model from GET /v1/models.',
  ),
  media_not_found: entry(404, 'invalid_request_error', 'The file does not exist.'),
  task_not_found: entry(404, 'invalid_request_error', 'The account has no task with this ID.'),
  method_not_allowed: entry(
    405,
    'invalid_request_error',
    'This path does not support the method. See the Allow header.',
  ),
  not_acceptable: entry(
    406,
    'invalid_request_error',
    'This path returns JSON, which the Accept header excludes.',
  ),
  request_timeout: entry(408, 'invalid_request_error', 'The request was not received in time.'),
  conflict: entry(409, 'invalid_request_error', 'The request conflicts with the current state.'),
  last_owner: entry(
    409,
    'invalid_request_error',
    'This is the only owner of the account. Make another member an owner first.',
  ),
  identity_taken: entry(409, 'invalid_request_error', 'This identity is linked to another user.'),
  last_sign_in: entry(409, 'invalid_request_error', 'This is your only means of signing in.'),
  idempotency_conflict: entry(
    409,
    'invalid_request_error',
    'A different request was sent with this Idempotency-Key.',
  ),
  task_not_cancellable: entry(
    409,
    'invalid_request_error',
    'The task cannot be cancelled: it has ended, or the vendor can no longer cancel it.',
  ),
  media_expired: entry(410, 'invalid_request_error', 'The file has expired and was removed.'),
  body_too_large: entry(413, 'invalid_request_error', 'The body is larger than allowed.'),
  unsupported_media_type: entry(415, 'invalid_request_error', 'Send the body as application/json.'),
  range_not_satisfiable: entry(
    416,
    'invalid_request_error',
    'The file does not contain the requested range of bytes.',
  ),
  answer_not_kept: entry(
    422,
    'invalid_request_error',
    'The response for this Idempotency-Key was too large to keep, or the account has reached its daily limit of kept responses. The response was delivered and charged once. This request is not charged. Retry with another Idempotency-Key.',
  ),
  validation_failed: entry(422, 'invalid_request_error', 'A value is invalid.'),

  // 429
  rate_limit_exceeded: entry(429, 'rate_limit_error', 'Rate limit exceeded.'),
  allowance_exceeded: entry(
    429,
    'rate_limit_error',
    'The account has used up an allowance. Retry after the time in Retry-After.',
  ),
  too_many_tries: entry(429, 'rate_limit_error', 'Too many attempts. Wait before the next attempt.'),

  // 5xx
  internal: entry(500, 'server_error', 'An internal error occurred. Nothing was charged.'),
  upstream_error: entry(502, 'upstream_error', 'The vendor failed to respond. Nothing was charged.'),
  upstream_auth: entry(502, 'upstream_error', 'The vendor refused the credential. Nothing was charged.'),
  control_unavailable: entry(502, 'server_error', 'The management service does not respond. Retry later.'),
  issuer_unavailable: entry(503, 'server_error', 'The identity provider does not respond. Retry later.'),
  upstream_busy: entry(503, 'upstream_error', 'The vendor is overloaded. Nothing was charged. Retry later.'),
  overloaded: entry(503, 'server_error', 'The service is overloaded. Retry later.'),
  media_not_stored: entry(
    501,
    'server_error',
    'Media storage is not configured. Send a public HTTPS URL instead of a file.',
  ),
  unavailable: entry(
    503,
    'server_error',
    'A required service is unavailable. Nothing was charged. Retry later.',
  ),
  settlement_unknown: entry(
    503,
    'server_error',
    'The database did not confirm the charge in time, so the request may have been charged. If no response was delivered, the charge is refunded.',
  ),
  task_pending: entry(504, 'server_error', 'The task takes longer than a request can wait. It continues.'),
  upstream_timeout: entry(504, 'upstream_error', 'The vendor did not respond in time. Nothing was charged.'),
} as const
