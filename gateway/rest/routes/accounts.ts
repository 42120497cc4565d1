import type { Route } from './route.ts'

/** The fields of a session, of a user, and of a challenge. */
export const session = 'accessToken expiresAt refreshToken account { id name createdAt }'
export const userRecord = 'id email name role emailConfirmedAt createdAt lastUsedAt'
export const challenge = 'token expiresAt methods passkeyOptions'

/** Sign-up, log-in, sessions and passwords (docs/behaviour.md, Sessions). */
export const auth: Route[] = [
  {
    method: 'POST',
    path: '/auth/sign-up',
    document: `mutation signUp($input: SignUpInput!) { signUp(input: $input) { session { ${session} } } }`,
    answer: ['sign_up', 'session'],
    session: 'begins',
    caller: 'none',
    status: 201,
  },
  {
    method: 'POST',
    path: '/auth/log-in',
    document: `
      mutation logIn($input: LogInInput!) {
        logIn(input: $input) { session { ${session} } challenge { ${challenge} } }
      }`,
    pick: [
      'session.access_token',
      'session.expires_at',
      'session.refresh_token',
      'session.account',
      'challenge',
    ],
    omitNulls: ['access_token', 'expires_at', 'refresh_token', 'account', 'challenge'],
    record: 'LogInResult',
    session: 'begins',
    caller: 'none',
  },
  {
    method: 'POST',
    path: '/auth/refresh',
    document: `mutation refresh($input: RefreshSessionInput!) { refreshSession(input: $input) { session { ${session} } } }`,
    answer: ['refresh_session', 'session'],
    session: 'continues',
    caller: 'none',
  },
  {
    method: 'POST',
    path: '/auth/request-email-confirmation',
    document: 'mutation requestEmailConfirmation { requestEmailConfirmation { user { id } } }',
    caller: 'session',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/confirm-email',
    document: 'mutation confirmEmail($input: ConfirmEmailInput!) { confirmEmail(input: $input) { email } }',
    caller: 'none',
  },
  {
    method: 'POST',
    path: '/auth/request-email-change',
    document: `
      mutation requestEmailChange($input: RequestEmailChangeInput!) {
        requestEmailChange(input: $input) { isRequested }
      }`,
    caller: 'session',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/change-email',
    document: `
      mutation changeEmail($input: ChangeEmailInput!) {
        changeEmail(input: $input) { user { ${userRecord} } endedSessions }
      }`,
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/change-password',
    document:
      'mutation changePassword($input: ChangePasswordInput!) { changePassword(input: $input) { endedSessions revokedApiKeys } }',
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/request-password-reset',
    document: `
      mutation requestPasswordReset($input: RequestPasswordResetInput!) {
        requestPasswordReset(input: $input) { isRequested }
      }`,
    caller: 'none',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/reset-password',
    document:
      'mutation resetPassword($input: ResetPasswordInput!) { resetPassword(input: $input) { sessionsEnded } }',
    caller: 'none',
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
    caller: 'session',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    document: 'mutation endSession($id: ID!) { endSession(input: { id: $id }) { endedSessionId } }',
    caller: 'session',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/end-other-sessions',
    document: 'mutation endOtherSessions { endOtherSessions { endedSessions } }',
    caller: 'session',
  },
  {
    method: 'GET',
    path: '/auth/user',
    document: `query readUser { viewer { user { ${userRecord} } } }`,
    answer: ['viewer', 'user'],
    caller: 'session',
  },
  {
    method: 'PUT',
    path: '/auth/user',
    document: `mutation updateUser($input: UpdateUserInput!) { updateUser(input: $input) { user { ${userRecord} } } }`,
    answer: ['update_user', 'user'],
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/log-out',
    document: 'mutation logOut { logOut { sessionEnded } }',
    session: 'ends',
    caller: 'session',
    status: 204,
  },
]

/** The account of the caller. */
export const account: Route[] = [
  { method: 'GET', path: '/me', document: 'query readAccount { me { id name createdAt } }' },
  {
    method: 'PUT',
    path: '/me',
    document: `
      mutation updateAccount($input: UpdateAccountInput!) {
        updateAccount(input: $input) { account { id name createdAt } }
      }`,
    answer: ['update_account', 'account'],
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/me/close',
    document: `
      mutation closeOwnAccount($input: CloseOwnAccountInput!) {
        closeOwnAccount(input: $input) { closedAt eraseAt credits held runningTasks }
      }`,
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/reopen-account',
    document: `
      mutation reopenOwnAccount($input: ReopenOwnAccountInput!) {
        reopenOwnAccount(input: $input) { account { id name createdAt } }
      }`,
    answer: ['reopen_own_account', 'account'],
    caller: 'none',
  },
]
