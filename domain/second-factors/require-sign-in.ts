import type { Config } from '../../platform/config/read-config.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { supportsPasskeys } from './relying-party.ts'

/**
 * Throws `last_sign_in` if a user can no longer sign in, in the transaction that removes a means. The means are a
 * password, an identity at an issuer of the settings, and a passkey whose authenticator has verified the user: another
 * passkey does not log in alone. The user's row is locked.
 */
export async function requireSignIn(
  sql: SqlTransaction,
  config: Pick<Config, 'baseUrl' | 'issuers'>,
  { userId }: { userId: string },
): Promise<void> {
  const issuers = [...config.issuers.values()].map(({ url }) => url)
  const [means] = await sql`
    select from users u where u.id = ${userId} and (u.password_hash is not null
      or exists (select from identities where user_id = u.id and issuer = any (${issuers}::text[]))
      or (${supportsPasskeys(config)} and exists (
        select from second_factors where user_id = u.id and kind = 'passkey' and verifies_user
      )))`
  if (!means) throw new Problem('last_sign_in')
}
