import type { Route } from '../route.ts'

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
