import { isUuid } from '../../platform/checks.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { normalizeEmail, requireName } from './open-account.ts'

/** An account: a paying customer. */
export interface Account {
  id: string
  name: string
  createdAt: Date
}

/**
 * Finds an account by its ID, or by the e-mail address of its member: the user who confirmed the address, or else any
 * user who signed up with it. Throws `not_found` if there is none, or if there are several accounts.
 */
export async function findAccount(
  { sql }: Pick<Context, 'sql'>,
  { emailOrId }: { emailOrId: string },
): Promise<{ accountId: string; name: string }> {
  const accounts = await sql<{ accountId: string; name: string; isConfirmed: boolean }[]>`
    select a.id as "accountId", a.name, u.email_confirmed_at is not null as "isConfirmed"
    from accounts a left join memberships m on m.account_id = a.id left join users u on u.id = m.user_id
    where ${isUuid(emailOrId) ? sql`a.id = ${emailOrId}` : sql`lower(u.email) = ${normalizeEmail(emailOrId)}`}
    order by "isConfirmed" desc`
  const confirmed = accounts.filter(({ isConfirmed }) => isConfirmed)
  const [account, ...others] = confirmed.length > 0 ? confirmed : accounts
  if (!account) throw new Problem('not_found', { message: `There is no account of ${emailOrId}.` })
  if (others.every(({ accountId }) => accountId === account.accountId)) return account
  throw new Problem('not_found', {
    message:
      confirmed.length > 0
        ? `${emailOrId} is a member of several accounts: use the ID of the account.`
        : `Several accounts were opened with ${emailOrId}, and none has confirmed it: use the ID of the account, or ask the customer to confirm the address.`,
  })
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

/** Changes an account's name. Resolves to the account. Throws `validation_failed`, `not_found`. */
export async function renameAccount(
  { sql, clock, action }: Pick<Context, 'sql' | 'clock'> & { action?: ActionMark | undefined },
  { accountId, name }: { accountId: string; name: string },
): Promise<Account> {
  const checked = requireName(name)
  return sql.begin(async transaction => {
    const [account] = await transaction<Account[]>`
      update accounts set name = ${checked}, updated_at = ${new Date(clock.now())}
      where id = ${accountId} returning id, name, created_at as "createdAt"`
    if (!account) throw new Problem('not_found')
    if (action) await endAction({ sql: transaction }, action, { type: 'Account', id: accountId })
    return account
  })
}

/** Returns the IDs of a user's accounts: active accounts first, and among them the account that the user used last. */
export async function accountsOf(
  sql: Sql | SqlTransaction,
  { userId }: { userId: string },
): Promise<string[]> {
  const accounts = await sql<{ id: string }[]>`
    select a.id from memberships m join accounts a on a.id = m.account_id where m.user_id = ${userId}
    order by account_refusal(a.suspended_at, a.closed_at) is not null, m.last_used_at desc nulls last, m.created_at, a.id`
  return accounts.map(({ id }) => id)
}
