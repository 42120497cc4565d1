import type { Route } from './route.ts'

const session = 'accessToken expiresAt refreshToken account { id name createdAt }'

/** Sign-up and log-in (docs/behaviour.md, Sessions). */
export const auth: Route[] = [
  {
    method: 'POST',
    path: '/auth/sign-up',
    document: `mutation signUp($input: SignUpInput!) { signUp(input: $input) { session { ${session} } } }`,
    answer: ['sign_up', 'session'],
    credential: 'none',
    status: 201,
  },
  {
    method: 'POST',
    path: '/auth/log-in',
    document: `mutation logIn($input: LogInInput!) { logIn(input: $input) { session { ${session} } } }`,
    answer: ['log_in', 'session'],
    credential: 'none',
  },
  {
    method: 'POST',
    path: '/auth/refresh',
    document: `mutation refresh($input: RefreshSessionInput!) { refreshSession(input: $input) { session { ${session} } } }`,
    answer: ['refresh_session', 'session'],
    credential: 'none',
  },
  {
    method: 'POST',
    path: '/auth/request-email-confirmation',
    document: 'mutation requestEmailConfirmation { requestEmailConfirmation { user { id } } }',
    credential: 'session',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/confirm-email',
    document: 'mutation confirmEmail($input: ConfirmEmailInput!) { confirmEmail(input: $input) { email } }',
    credential: 'none',
  },
  {
    method: 'POST',
    path: '/auth/change-password',
    document:
      'mutation changePassword($input: ChangePasswordInput!) { changePassword(input: $input) { endedSessions revokedApiKeys } }',
    credential: 'session',
  },
  {
    method: 'POST',
    path: '/auth/request-password-reset',
    document: `
      mutation requestPasswordReset($input: RequestPasswordResetInput!) {
        requestPasswordReset(input: $input) { isRequested }
      }`,
    credential: 'none',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/reset-password',
    document:
      'mutation resetPassword($input: ResetPasswordInput!) { resetPassword(input: $input) { sessionsEnded } }',
    credential: 'none',
    status: 204,
  },
  {
    method: 'GET',
    path: '/auth/sessions',
    document: `
      query listSessions($first: Int, $after: String) {
        activeSessions(first: $first, after: $after) {
          data: nodes { id createdAt lastUsedAt expiresAt address isCurrent }
          totalCount
        }
      }`,
    credential: 'session',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    document: 'mutation endSession($id: ID!) { endSession(input: { id: $id }) { endedSessionId } }',
    credential: 'session',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/log-out',
    document: 'mutation logOut { logOut { sessionEnded } }',
    credential: 'session',
    status: 204,
  },
]

/** The account that the credential belongs to. */
export const account: Route[] = [
  { method: 'GET', path: '/me', document: 'query readAccount { me { id name createdAt } }' },
]

/** Balance, transactions and top-up (docs/behaviour.md, Management API). */
export const billing: Route[] = [
  {
    method: 'GET',
    path: '/billing/balance',
    document: 'query readBalance { me { balance { credits held available currency } } }',
    answer: ['me', 'balance'],
  },
  {
    method: 'GET',
    path: '/billing/transactions',
    document: `
      query listTransactions($first: Int, $after: String) {
        transactions(first: $first, after: $after) {
          data: nodes {
            id credits amount paymentMethod status api_key_id: apiKey { id } request_id: request { id }
            task_id: task { id }
            createdAt
          }
          totalCount
        }
      }`,
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'POST',
    path: '/billing/topup',
    document: `
      mutation startTopUp($input: StartTopUpInput!) {
        startTopUp(input: $input) { topUp { id amount currency status checkoutUrl createdAt } }
      }`,
    credential: 'manager',
    headers: { 'idempotency-key': 'idempotency_key' },
    status: 201,
    answer: ['start_top_up', 'top_up'],
  },
]

/** What was done to the account (docs/behaviour.md, Audit log). */
export const audit: Route[] = [
  {
    method: 'GET',
    path: '/audit-log',
    document: `
      query listActions($first: Int, $after: String) {
        auditEntries(first: $first, after: $after) {
          data: nodes {
            id action outcome actorKind user_id: user { id } api_key_id: apiKey { id } operator targetType targetId
            fields address requestId createdAt
          }
          totalCount
        }
      }`,
    credential: 'manager',
    page: ['total', 'page', 'per_page'],
  },
]
