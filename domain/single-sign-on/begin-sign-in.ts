import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client'
import type { Issuer } from '../../platform/config/issuers.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { networkOf } from '../../platform/http/addresses.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { countTry, type TryCounter } from '../accounts/try-counter.ts'
import type { Context } from '../context.ts'
import type { Issuers } from './open-issuers.ts'
import { resolveReturnTarget } from './return-target.ts'
import { deriveChecks, hashSecret, isCodeChallenge, secretLength } from './sign-in-secrets.ts'

/** How long a person may take at the issuer, in milliseconds. */
export const signInLifetimeMs = 10 * 60_000

/** Maximum number of sign-ins that a network begins per window of tries. Each is a row until it expires. */
const maxStarts = 1_000

/** The context for sign-ins over HTTP. */
export interface SignInContext extends Pick<Context, 'sql' | 'clock' | 'ids' | 'config' | 'log'> {
  issuers: Issuers
  tries: TryCounter
}

/** Returns the only redirect URI of an issuer. */
export function redirectUriOf({ baseUrl }: Pick<Config, 'baseUrl'>, { name }: Pick<Issuer, 'name'>): string {
  return `${baseUrl}/account/sso/${name}/callback`
}

/**
 * Begins a sign-in for the client that knows the verifier of `codeChallenge`. Returns the URL of the issuer to which
 * the browser is sent, and the secret that it keeps in a cookie. Throws `issuer_not_found`, `validation_failed`,
 * `too_many_tries`, `issuer_unavailable`.
 */
export async function beginSignIn(
  context: SignInContext,
  args: { issuer: string; codeChallenge: string; returnTo: string | undefined; address: string },
): Promise<{ url: URL; browserSecret: string }> {
  const { sql, clock, ids, config, tries, issuers } = context
  const issuer = issuers.find(args.issuer)
  if (!isCodeChallenge(args.codeChallenge))
    refuseParam('code_challenge', 'must be the base64url SHA-256 of the code verifier, 43 characters')
  const returnTo = resolveReturnTarget(config, args.returnTo)
  await countTry(tries, { name: `sso:${networkOf(args.address)}`, max: maxStarts })
  const { client } = await issuers.discover(issuer)
  const [state, browserSecret, now] = [ids.secret(secretLength), ids.secret(secretLength), clock.now()]
  const { nonce, codeVerifier } = deriveChecks(config, state)
  await sql`
    insert into sign_ins (id, issuer, state_hash, browser_hash, code_challenge, return_to, created_at, expires_at)
    values (${ids.uuid()}, ${issuer.url}, ${hashSecret(state)}, ${hashSecret(browserSecret)},
      ${args.codeChallenge}, ${returnTo}, ${new Date(now)}, ${new Date(now + signInLifetimeMs)})`
  const url = buildAuthorizationUrl(client, {
    redirect_uri: redirectUriOf(config, issuer),
    scope: issuer.scope,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  return { url, browserSecret }
}
