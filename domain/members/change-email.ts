import type { Config } from '../../platform/config/read-config.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { announceConfirmation, grantOnConfirmation } from '../accounts/confirm-email.ts'
import type { AccountsContext } from '../accounts/limit-tries.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { readLinkToken, requestLink, useLink } from '../accounts/mailed-links.ts'
import { checkEmail, lockAddress, mailDomainOf, normalizeEmail } from '../accounts/open-account.ts'
import { endSessionsOf } from '../accounts/sessions.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import { type ActionMark, beginAction, endAction } from '../audit/record-action.ts'
import { requireUnlimited } from '../callers/limited-sessions.ts'
import type { Context } from '../context.ts'
import { type FactorOwner, lockUser } from '../second-factors/factor-records.ts'
import { addNotice } from '../sign-in-notices/add-notice.ts'

/** The user and the session that change the address, and the client's IP address. */
interface Changing {
  accountId: string
  userId: string
  familyId: string
  address: string
}

/**
 * Requests an e-mail to a user's new address, with the link that makes it the user's address (`changeEmail`). The work is
 * the same whether or not another user has the address. Throws `validation_failed`, `allowance_exceeded`,
 * `too_many_tries`, `mail_not_configured`, and `forbidden` if an identity provider manages the user's sign-in or one of
 * the addresses.
 */
export async function requestEmailChange(
  context: AccountsContext,
  { accountId, userId, familyId, address, ...given }: Changing & { email: string },
): Promise<void> {
  const { sql, config, allowances } = context
  requireOwnLogIn(config)
  checkEmail(given.email)
  const email = normalizeEmail(given.email)
  await requireUnlimited(context, { familyId })
  const [user] = await sql<{ email: string }[]>`select email from users where id = ${userId}`
  if (!user) throw new Problem('not_found')
  requireUnmanaged(config, user)
  if (normalizeEmail(user.email) === email) refuseParam('email', 'must differ from your present address')
  if (isManaged(config, { email }))
    throw new Problem('forbidden', {
      param: 'email',
      message: `An identity provider manages the addresses of ${mailDomainOf(email)}. People with such an address sign in there.`,
    })
  await spend(allowances, await standingOf(allowances, accountId), { resource: 'confirmation_mails' })
  await requestLink(context, { purpose: 'change_email', email, userId, address })
}

/**
 * Changes the address of a session's user to the one to which a link was sent. As a changed password does, it ends the
 * user's other sessions and log-ins that wait for a second factor, and notifies the user, at the previous address. Links
 * that were sent to the previous address no longer work. The change is in the audit logs of all of the user's accounts.
 * Throws `link_refused` if the token is invalid or if another user has confirmed the address, `wrong_user` if
 * another user requested the link, which then stays valid, and `forbidden` as `requestEmailChange` does.
 */
export async function changeEmail(
  context: AccountsContext & { action?: ActionMark | undefined },
  { token, ...changing }: Changing & { token: string },
): Promise<{ endedSessions: number }> {
  const { sql, clock, config, action } = context
  const { userId, familyId, address } = changing
  requireOwnLogIn(config)
  await requireUnlimited(context, { familyId })
  const link = {
    id: readLinkToken(config, { token, purpose: 'change_email' }),
    purpose: 'change_email',
  } as const
  const { endedSessions, isFirst } = await sql.begin(async transaction => {
    const before = await lockUser(transaction, userId)
    requireUnmanaged(config, before)
    const { email, userId: requesterId } = await useLink({ sql: transaction, clock }, link)
    if (requesterId !== userId) throw new Problem('wrong_user')
    await recordElsewhere(transaction, context, changing)
    const now = new Date(clock.now())
    await setAddress(transaction, { userId, email, now })
    await transaction`delete from sign_in_challenges where user_id = ${userId} and purpose = 'log_in'`
    const ended = await endSessionsOf(transaction, { userId, now, except: familyId })
    if (before.emailConfirmedAt === null)
      await grantOnConfirmation(transaction, context, { userId, email, address })
    else await notifyPrevious(transaction, context, { linkId: link.id, before, userId, address })
    if (action) await endAction({ sql: transaction }, action, { type: 'User', id: userId })
    return { endedSessions: ended, isFirst: before.emailConfirmedAt === null }
  })
  if (isFirst) await announceConfirmation(context, { userId })
  return { endedSessions }
}

/** Whether an issuer of single sign-on is authoritative for the domain of an address. */
function isManaged({ issuers }: Pick<Config, 'issuers'>, { email }: { email: string }): boolean {
  const domain = mailDomainOf(normalizeEmail(email))
  return [...issuers.values()].some(({ accountsByDomain }) => accountsByDomain.has(domain))
}

/** Throws `forbidden` if an identity provider manages the present address of a user. */
function requireUnmanaged(config: Pick<Config, 'issuers'>, { email }: { email: string }): void {
  if (isManaged(config, { email }))
    throw new Problem('forbidden', {
      message: `Your identity provider manages your address ${email}. It can only be changed there.`,
    })
}

/**
 * Sets the address, which belongs to the user from then on. The time of the first confirmation stays: a reset of the
 * password removes identities that were linked before it. Throws `link_refused` if the address belongs to another user.
 */
async function setAddress(
  sql: SqlTransaction,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<void> {
  await lockAddress(sql, email)
  const changed = await sql`
    update users set email = ${email}, email_confirmed_at = coalesce(email_confirmed_at, ${now}), updated_at = ${now}
    where id = ${userId} and not exists (
      select from users other
      where lower(other.email) = ${email} and other.email_confirmed_at is not null and other.id <> ${userId}
    )`
  if (changed.count === 0) throw new Problem('link_refused', { param: 'token' })
}

/** Adds the notice to the previous address. The row of the link keeps this address, because jobs have none. */
async function notifyPrevious(
  sql: SqlTransaction,
  context: Pick<Context, 'clock' | 'ids'>,
  args: { linkId: string; before: FactorOwner; userId: string; address: string },
): Promise<void> {
  const { linkId, before, userId, address } = args
  await sql`update mailed_links set replaced_email = ${before.email} where id = ${linkId}`
  await addNotice(sql, context, { userId, change: 'email_changed', address, linkId })
}

/**
 * Records the change in the audit logs of the user's other accounts, before it is made, so that the entries have the
 * previous address. The mutation records it in the account of the session.
 */
async function recordElsewhere(
  sql: SqlTransaction,
  { ids }: Pick<Context, 'ids'>,
  { accountId, userId, address }: Changing,
): Promise<void> {
  const actor = { kind: 'session', id: userId } as const
  for (const other of await accountsOf(sql, { userId })) {
    if (other === accountId) continue
    const mark = await beginAction({ sql, ids }, { accountId: other, name: 'changeEmail', actor, address })
    await endAction({ sql }, mark, { type: 'User', id: userId })
  }
}
