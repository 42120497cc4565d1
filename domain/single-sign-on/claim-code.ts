import type { Issuer } from '../../platform/config/issuers.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { Person } from './read-person.ts'
import { hashSecret, matchesChallenge } from './sign-in-secrets.ts'

/** A person whom an issuer has authenticated for a client. */
export interface VerifiedSignIn {
  issuer: Issuer
  person: Person
  /** When the browser was sent to the issuer. */
  beganAt: Date
}

/** The values that a client sends at the end of a sign-in. */
export interface CodeExchange {
  /** The code in the fragment of the client's page. */
  code: string
  /** The verifier of the challenge with which the client began the sign-in. */
  codeVerifier: string
}

/**
 * Uses the code of a sign-in. The verifier proves that the same client began it, so a client cannot use the
 * code of another person. A code is used up even if the verifier is wrong. Throws `sign_in_expired`.
 */
export async function claimCode(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock'> & { config: Pick<Config, 'issuers'> },
  { code, codeVerifier }: CodeExchange,
): Promise<VerifiedSignIn> {
  const [claimed] = await sql<
    { url: string; challenge: string; person: Person; beganAt: Date; expiresAt: Date }[]
  >`
    delete from sign_ins where code_hash = ${hashSecret(code)}
    returning issuer as url, code_challenge as challenge, verified as person, created_at as "beganAt",
      expires_at as "expiresAt"`
  const issuer = [...config.issuers.values()].find(({ url }) => url === claimed?.url)
  if (!claimed || !issuer || claimed.expiresAt.getTime() <= clock.now()) throw new Problem('sign_in_expired')
  const { challenge, person, beganAt } = claimed
  if (!matchesChallenge({ verifier: codeVerifier, challenge })) throw new Problem('sign_in_expired')
  return { issuer, person, beganAt }
}
