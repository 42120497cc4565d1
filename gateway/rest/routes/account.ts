import type { Route } from '../route.ts'

/** The account that the credential belongs to. */
export const account: Route[] = [
  { method: 'GET', path: '/me', document: 'query readAccount { me { id name createdAt } }' },
]
