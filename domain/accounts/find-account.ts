import { AccountEntity, type AccountRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context, ManagementContext } from '../context.ts'
import { normalizeEmail } from './open-account.ts'

/** The account of the person who logs in with that e-mail. Throws `not_found`. */
export async function findAccount(
  { sql }: Pick<Context, 'sql'>,
  { email }: { email: string },
): Promise<{ accountId: string; name: string }> {
  const [account] = await sql<{ accountId: string; name: string }[]>`
    select a.id as "accountId", a.name from users u join accounts a on a.id = u.account_id
    where lower(u.email) = ${normalizeEmail(email)}`
  if (!account) throw new Problem('not_found', { message: `There is no account of ${email}.` })
  return account
}

/** Reads an account. Throws `not_found` when it is gone. */
export async function readAccount(
  { em }: Pick<ManagementContext, 'em'>,
  { accountId }: { accountId: string },
): Promise<AccountRow> {
  const account = await em.findOne(AccountEntity, { id: accountId })
  if (account) return account
  throw new Problem('not_found')
}
