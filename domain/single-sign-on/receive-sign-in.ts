import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client'
import type { Issuer } from '../../platform/config/issuers.ts'
import { Problem } from '../../schema/errors.ts'
import { redirectUriOf, type SignInContext } from './begin-sign-in.ts'
import { asIssuerProblem } from './issuer-faults.ts'
import { type Claims, type Person, readPerson } from './read-person.ts'
import { deriveChecks, hashSecret, secretLength } from './sign-in-secrets.ts'

/** How long the client may take to exchange its code, in milliseconds. */
export const codeLifetimeMs = 2 * 60_000

/** The outcome of a sign-in at the issuer. */
export interface ReceivedSignIn {
  /** The client's page, with `#sso_code` or `#sso_error`. */
  url: string
  /** The error that `#sso_error` names. */
  problem?: Problem
}

/**
 * Receives the browser that the issuer sends back. `query` is the query of the redirect URI, and `browserSecret` is the
 * value of the cookie. Uses the state, redeems the issuer's code, and stores the person under a new code, which the
 * client exchanges for a session or for a link. Throws `issuer_not_found`, and `sign_in_expired` if the state is
 * unknown, expired, used, of another issuer, or of another browser.
 */
export async function receiveSignIn(
  context: SignInContext,
  args: { issuer: string; query: string; browserSecret: string | undefined },
): Promise<ReceivedSignIn> {
  const issuer = context.issuers.find(args.issuer)
  const response = new URL(`${redirectUriOf(context.config, issuer)}?${args.query}`)
  const [state = '', ...others] = response.searchParams.getAll('state')
  if (others.length > 0) throw new Problem('sign_in_expired')
  const { id, returnTo } = await useState(context, { issuer, state, browserSecret: args.browserSecret ?? '' })
  try {
    const person = await redeem(context, { issuer, response, state })
    return { url: `${returnTo}#sso_code=${await storePerson(context, { id, person })}` }
  } catch (error) {
    const problem = asIssuerProblem(error)
    return { url: `${returnTo}#sso_error=${problem.code}`, problem }
  }
}

/** Marks the state as used, in one statement, so that of concurrent uses one succeeds. */
async function useState(
  { sql, clock }: SignInContext,
  { issuer, state, browserSecret }: { issuer: Issuer; state: string; browserSecret: string },
): Promise<{ id: string; returnTo: string }> {
  const now = new Date(clock.now())
  const [used] = await sql<{ id: string; returnTo: string }[]>`
    update sign_ins set returned_at = ${now}
    where state_hash = ${hashSecret(state)} and browser_hash = ${hashSecret(browserSecret)}
      and issuer = ${issuer.url} and returned_at is null and expires_at > ${now}
    returning id, return_to as "returnTo"`
  if (!used) throw new Problem('sign_in_expired')
  return used
}

/** Redeems the issuer's code for the person. Checks state, `iss`, nonce, issuer, audience and signature. */
async function redeem(
  { issuers, config }: SignInContext,
  { issuer, response, state }: { issuer: Issuer; response: URL; state: string },
): Promise<Person> {
  const { client } = await issuers.discover(issuer)
  const { nonce, codeVerifier } = deriveChecks(config, state)
  const tokens = await authorizationCodeGrant(client, response, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  const person =
    claims && readPerson(issuer, await completeClaims(client, issuer, claims, tokens.access_token))
  if (!person) throw new Problem('sign_in_refused', { internal: 'The ID token has no valid subject' })
  return person
}

/** Adds the claims of the userinfo endpoint if the ID token lacks the address or the claim of the role. */
async function completeClaims(
  client: Configuration,
  { roleClaim }: Issuer,
  claims: Claims,
  accessToken: string,
): Promise<Claims> {
  const isComplete =
    claims.email !== undefined && (roleClaim === undefined || claims[roleClaim] !== undefined)
  if (isComplete || client.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await fetchUserInfo(client, accessToken, claims.sub)), ...claims }
}

async function storePerson(
  { sql, clock, ids }: SignInContext,
  { id, person }: { id: string; person: Person },
): Promise<string> {
  const [code, now] = [ids.secret(secretLength), clock.now()]
  await sql`
    update sign_ins set code_hash = ${hashSecret(code)}, verified = ${JSON.stringify(person)}::text::jsonb,
      expires_at = ${new Date(now + codeLifetimeMs)}
    where id = ${id}`
  return code
}
