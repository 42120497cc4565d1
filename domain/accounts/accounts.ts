import { isUuid } from '../../platform/checks.ts'
import type { AccountRow, UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { normalizeEmail } from './open-account.ts'

/** The name of an account. */
export type Account = Pick<AccountRow, 'id' | 'name' | 'createdAt'>

/**
 * Finds the account of an e-mail address: the account that confirmed it, or else the only account that was opened with
 * it. Throws `not_found` if there is none, or if several accounts were opened with it.
 */
export async function findAccount(
  { sql }: Pick<Context, 'sql'>,
  { email }: { email: string },
): Promise<{ accountId: string; name: string }> {
  const accounts = await sql<{ accountId: string; name: string; isConfirmed: boolean }[]>`
    select a.id as "accountId", a.name, u.email_confirmed_at is not null as "isConfirmed"
    from users u join memberships m on m.user_id = u.id join accounts a on a.id = m.account_id
    where lower(u.email) = ${normalizeEmail(email)}
    order by "isConfirmed" desc limit 2`
  const [account, other] = accounts
  if (other && !account?.isConfirmed)
    throw new Problem('not_found', {
      message: `Several accounts were opened with ${email}, and none has confirmed it: ask the customer to confirm it.`,
    })
  if (!account) throw new Problem('not_found', { message: `There is no account of ${email}.` })
  return account
}

/** Reads an account by its ID. Throws `not_found`. */
export async function readAccount(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<Account> {
  const [account] = await sql<Account[]>`
    select id, name, created_at as "createdAt" from accounts where id = ${accountId}`
  if (account) return account
  throw new Problem('not_found')
}

/** A member of an account, as the other members see the person. */
export interface Person extends Pick<UserRow, 'id' | 'email' | 'name'> {
  emailConfirmedAt: Date | null
  /** When the user joined the account. */
  createdAt: Date
}

/** Finds members of an account by the IDs of their users, in any order. Unknown IDs are skipped. */
export async function findPeople(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Person[]> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return []
  return sql<Person[]>`
    select u.id, u.email, u.name, u.email_confirmed_at as "emailConfirmedAt", m.created_at as "createdAt"
    from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.user_id = any (${known}::uuid[])`
}
