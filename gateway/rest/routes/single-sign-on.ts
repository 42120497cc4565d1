import { session } from './accounts.ts'
import type { Route } from './route.ts'

const identity = 'id issuer { name title url } email createdAt lastUsedAt'

/** Single sign-on (docs/sign-in.md). */
export const singleSignOn: Route[] = [
  {
    method: 'GET',
    path: '/auth/sso/issuers',
    document: 'query listSignInIssuers($email: String) { signInIssuers(email: $email) { name title url } }',
    caller: 'none',
  },
  {
    method: 'POST',
    path: '/auth/sso/exchange',
    document: `mutation completeSignIn($input: CompleteSignInInput!) { completeSignIn(input: $input) { session { ${session} } } }`,
    answer: ['complete_sign_in', 'session'],
    session: 'begins',
    caller: 'none',
  },
  {
    method: 'GET',
    path: '/auth/sso/domains',
    document: 'query listSignInDomains { signInDomains { domain issuer { name title url } } }',
    caller: 'session',
  },
  {
    method: 'GET',
    path: '/auth/sso/identities',
    document: `query listIdentities { linkedIdentities { ${identity} } }`,
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/sso/identities',
    document: `mutation linkIdentity($input: LinkIdentityInput!) { linkIdentity(input: $input) { linkedIdentity { ${identity} } } }`,
    answer: ['link_identity', 'linked_identity'],
    caller: 'session',
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/auth/sso/identities/{id}',
    document:
      'mutation unlinkIdentity($id: ID!) { unlinkIdentity(input: { id: $id }) { unlinkedIdentityId } }',
    caller: 'session',
    status: 204,
  },
]
