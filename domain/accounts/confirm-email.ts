import { Problem } from '../../schema/errors.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import type { Context } from '../context.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import { accountsOf } from '../members/memberships.ts'
import { findPeople } from './accounts.ts'
import type { AccountsContext } from './limit-tries.ts'
import { readLinkToken, requestLink, useLink } from './mailed-links.ts'

/**
 * Sends a user the e-mail with the link that confirms the address, unless it is already confirmed. Throws `not_found`
 * for a user of a foreign issuer, `allowance_exceeded`, `too_many_tries`, `mail_not_configured`.
 */
export async function requestConfirmation(
  context: AccountsContext,
  { accountId, userId, address }: { accountId: string; userId: string; address: string },
): Promise<void> {
  const [user] = await findPeople(context, { accountId, ids: [userId] })
  if (!user) throw new Problem('not_found')
  if (user.emailConfirmedAt) return
  const { allowances } = context
  const standing = await standingOf(allowances, accountId)
  await spend(allowances, standing, { resource: 'confirmation_mails' })
  await requestLink(context, { purpose: 'confirm_email', email: user.email, userId, address })
}

/**
 * Confirms the e-mail address to which a token was sent. The address then belongs to the user. `accountId` is the account
 * that the user used last. Throws `link_refused` if the token is invalid, or if the address already belongs to another
 * user.
 */
export async function confirmEmail(
  context: Pick<Context, 'sql' | 'clock' | 'config' | 'redis'>,
  { token }: { token: string },
): Promise<{ id: string; accountId: string | undefined; email: string }> {
  const { sql, clock, config } = context
  const purpose = 'confirm_email'
  const id = readLinkToken(config, { token, purpose })
  const confirmed = await sql.begin(async transaction => {
    const { email, userId } = await useLink({ sql: transaction, clock }, { id, purpose })
    await transaction`select pg_advisory_xact_lock(hashtextextended(${`confirm ${email}`}, 0))`
    const [user] = await transaction<{ id: string }[]>`
      update users u set email_confirmed_at = coalesce(email_confirmed_at, ${new Date(clock.now())})
      where u.id = coalesce(${userId}::uuid, (
        select id from users where lower(email) = ${email} order by email_confirmed_at, created_at desc limit 1
      )) and not exists (
        select from users other
        where lower(other.email) = ${email} and other.email_confirmed_at is not null and other.id <> u.id
      )
      returning id`
    if (!user) throw new Problem('link_refused', { param: 'token' })
    return { ...user, email }
  })
  const accountIds = await accountsOf(sql, { userId: confirmed.id })
  for (const accountId of accountIds) await raiseRevisions(context, { accountId })
  return { ...confirmed, accountId: accountIds[0] }
}
