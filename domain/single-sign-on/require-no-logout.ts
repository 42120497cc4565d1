import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import type { VerifiedSignIn } from './claim-code.ts'

/**
 * Throws `sign_in_expired` if the person has logged out at the issuer since the sign-in began. The person is locked, so
 * a log-out that is received later finds the session that this transaction begins. A log-out of another session at the
 * issuer does not count, unless the issuer states no session for this sign-in.
 */
export async function requireNoLogout(
  sql: SqlTransaction,
  { issuer, person, beganAt }: Pick<VerifiedSignIn, 'issuer' | 'person' | 'beganAt'>,
): Promise<void> {
  const { subject, issuerSession } = person
  const [logout] = await sql`
    select 1 from issuer_logouts where issuer = ${issuer.url} and received_at >= ${beganAt}
      and (issuer_session = ${issuerSession}
        or (subject = ${subject} and (issuer_session is null or ${issuerSession}::text is null)))
    limit 1`
  if (logout) throw new Problem('sign_in_expired')
}
