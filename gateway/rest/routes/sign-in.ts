import { challenge, session } from './accounts.ts'
import type { Route } from './route.ts'

/** The second step of log-in, second factors and confirmations (docs/sign-in.md). */
export const signIn: Route[] = [
  {
    method: 'POST',
    path: '/auth/start-passkey-log-in',
    document: `mutation startPasskeyLogIn { startPasskeyLogIn { challenge { ${challenge} } } }`,
    caller: 'none',
  },
  {
    method: 'POST',
    path: '/auth/complete-log-in',
    document: `
      mutation completeLogIn($input: CompleteLogInInput!) { completeLogIn(input: $input) { session { ${session} } } }`,
    answer: ['complete_log_in', 'session'],
    session: 'begins',
    caller: 'none',
  },
  {
    method: 'GET',
    path: '/auth/status',
    document:
      'query readSignInStatus { signInStatus { requiresSecondFactor hasSecondFactor lacksSecondFactor hasPassword recoveryCodesLeft confirmedUntil } }',
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/start-confirmation',
    document: `mutation startConfirmation { startConfirmation { challenge { ${challenge} } } }`,
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/confirm',
    document:
      'mutation confirmIdentity($input: ConfirmIdentityInput!) { confirmIdentity(input: $input) { confirmedUntil } }',
    caller: 'session',
  },
  {
    method: 'GET',
    path: '/auth/second-factors',
    document: `
      query listSecondFactors($first: Int, $after: String) {
        secondFactors(first: $first, after: $after) {
          data: nodes { id kind name createdAt lastUsedAt }
          totalCount
        }
      }`,
    caller: 'session',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'PUT',
    path: '/auth/second-factors/{id}',
    document: `
      mutation updateSecondFactor($input: UpdateSecondFactorInput!) {
        updateSecondFactor(input: $input) { secondFactor { id kind name createdAt lastUsedAt } }
      }`,
    answer: ['update_second_factor', 'second_factor'],
    caller: 'session',
  },
  {
    method: 'DELETE',
    path: '/auth/second-factors/{id}',
    document:
      'mutation removeSecondFactor($id: ID!) { removeSecondFactor(input: { id: $id }) { removedSecondFactorId } }',
    caller: 'session',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/authenticator-apps',
    document: `
      mutation addAuthenticatorApp($input: AddAuthenticatorAppInput!) {
        addAuthenticatorApp(input: $input) { id: authenticatorAppId secret uri }
      }`,
    caller: 'session',
    status: 201,
  },
  {
    method: 'POST',
    path: '/auth/authenticator-apps/{id}/activate',
    document: `
      mutation activateAuthenticatorApp($input: ActivateAuthenticatorAppInput!) {
        activateAuthenticatorApp(input: $input) { id: secondFactorId recoveryCodes endedSessions }
      }`,
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/start-passkey-registration',
    document:
      'mutation startPasskeyRegistration { startPasskeyRegistration { challengeToken expiresAt options } }',
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/passkeys',
    document: `
      mutation addPasskey($input: AddPasskeyInput!) {
        addPasskey(input: $input) { id: secondFactorId recoveryCodes endedSessions }
      }`,
    caller: 'session',
    status: 201,
  },
  {
    method: 'POST',
    path: '/auth/recovery-codes',
    document: 'mutation renewRecoveryCodes { renewRecoveryCodes { recoveryCodes } }',
    caller: 'session',
  },
  {
    method: 'PUT',
    path: '/auth/second-factor-requirement',
    document: `
      mutation requireSecondFactor($input: RequireSecondFactorInput!) {
        requireSecondFactor(input: $input) { isRequired }
      }`,
    caller: 'session',
  },
]
