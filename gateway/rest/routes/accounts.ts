import type { Route } from './route.ts'

const session = 'accessToken expiresAt refreshToken account { id name createdAt }'

/** Sign-up and log-in (docs/behaviour.md, Sessions). */
export const auth: Route[] = [
  {
    method: 'POST',
    path: '/auth/sign-up',
    document: `mutation signUp($input: SignUpInput!) { signUp(input: $input) { ${session} } }`,
    credential: 'none',
    status: 201,
  },
  {
    method: 'POST',
    path: '/auth/log-in',
    document: `mutation logIn($input: LogInInput!) { logIn(input: $input) { ${session} } }`,
    credential: 'none',
  },
  {
    method: 'POST',
    path: '/auth/refresh',
    document: `mutation refresh($input: RefreshSessionInput!) { refreshSession(input: $input) { ${session} } }`,
    credential: 'none',
  },
  {
    method: 'POST',
    path: '/auth/log-out',
    document: 'mutation logOut { logOut }',
    credential: 'session',
    status: 204,
  },
]

/** The account that the credential belongs to. */
export const account: Route[] = [
  { method: 'GET', path: '/me', document: 'query readAccount { me { id name createdAt } }' },
]

/** Balance and transactions (docs/behaviour.md, Management API). */
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
      query listTransactions($page: Int, $perPage: Int) {
        transactionPage(page: $page, perPage: $perPage) {
          data: items { id credits amount paymentMethod status apiKeyId requestId taskId createdAt }
          total page perPage
        }
      }`,
  },
]
