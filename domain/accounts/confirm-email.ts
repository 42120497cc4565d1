import { isUuid } from '../../platform/checks.ts'
import { dayMs } from '../../platform/clock.ts'
import { widestNetworkOf } from '../../platform/http/addresses.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import type { Context } from '../context.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import { grantTrial } from '../trials/grant-trial.ts'
import { domainOf, isPublicDomain } from '../trials/mail-domains.ts'
import { accountsOf } from './accounts.ts'
import type { AccountsContext } from './limit-tries.ts'
import { readLinkToken, requestLink, useLink } from './mailed-links.ts'
import { lockAddress } from './open-account.ts'
import type { TryCounter } from './try-counter.ts'

/**
 * Sends a user the e-mail with the link that confirms the address, unless it is already confirmed. Throws `not_found`
 * for a user of a foreign issuer, `allowance_exceeded`, `too_many_tries`, `mail_not_configured`.
 */
export async function requestConfirmation(
  context: AccountsContext,
  { accountId, userId, address }: { accountId: string; userId: string; address: string },
): Promise<void> {
  const [user] = isUuid(userId)
    ? await context.sql<{ email: string; emailConfirmedAt: Date | null }[]>`
        select email, email_confirmed_at as "emailConfirmedAt" from users where id = ${userId}`
    : []
  if (!user) throw new Problem('not_found')
  if (user.emailConfirmedAt) return
  const { allowances } = context
  const standing = await standingOf(allowances, accountId)
  await spend(allowances, standing, { resource: 'confirmation_mails' })
  await requestLink(context, { purpose: 'confirm_email', email: user.email, userId, address })
}

/** Maximum number of trial credits of one network, per day. */
const trialsPerNetwork = 5

/** Maximum number of trial credits of one mail domain, per 30 days: its owner can receive mail at any address of it. */
const trialsPerDomain = 20
const domainDays = 30

type ConfirmingContext = Pick<Context, 'sql' | 'clock' | 'config' | 'redis' | 'log'> & { tries: TryCounter }

/**
 * Confirms the e-mail address to which a token was sent. The address then belongs to the user. If it is the first address
 * that the user confirms, the user's account receives the trial credit in the same transaction. `accountId` is the account
 * that the user used last. Throws `link_refused` if the token is invalid, if the address belongs to another user, or if
 * the user has another address by now.
 */
export async function confirmEmail(
  context: ConfirmingContext,
  { token, address }: { token: string; address: string },
): Promise<{ id: string; accountId: string | undefined; email: string }> {
  const { sql, clock, config } = context
  const [purpose, now] = ['confirm_email' as const, new Date(clock.now())]
  const id = readLinkToken(config, { token, purpose })
  const confirmed = await sql.begin(async transaction => {
    const { email, userId } = await useLink({ sql: transaction, clock }, { id, purpose })
    await lockAddress(transaction, email)
    const [user] = await transaction<{ id: string; isFirst: boolean }[]>`
      update users u set email_confirmed_at = coalesce(email_confirmed_at, ${now})
      where u.id = coalesce(${userId}::uuid, (
        select id from users where lower(email) = ${email} order by email_confirmed_at, created_at desc limit 1
      )) and lower(u.email) = ${email} and not exists (
        select from users other
        where lower(other.email) = ${email} and other.email_confirmed_at is not null and other.id <> u.id
      )
      returning id, email_confirmed_at = ${now} as "isFirst"`
    if (!user) throw new Problem('link_refused', { param: 'token' })
    if (user.isFirst) await grantOnConfirmation(transaction, context, { userId: user.id, email, address })
    return { id: user.id, email }
  })
  return { ...confirmed, accountId: await announceConfirmation(context, { userId: confirmed.id }) }
}

/**
 * Grants the trial credit for a user's first confirmation of an address, in its transaction, unless the network or the
 * mail domain has reached its limit. Large mail providers have no limit per domain.
 */
export async function grantOnConfirmation(
  sql: SqlTransaction,
  { config, tries, log }: Pick<ConfirmingContext, 'config' | 'tries' | 'log'>,
  { userId, email, address }: { userId: string; email: string; address: string },
): Promise<void> {
  if (config.trialCreditNanos === 0n) return
  const domain = domainOf(email)
  const limits = [{ name: `trial:${widestNetworkOf(address)}`, days: 1, max: trialsPerNetwork }]
  if (!isPublicDomain(domain))
    limits.push({ name: `trial-domain:${domain}`, days: domainDays, max: trialsPerDomain })
  let isWithin = true
  for (const { name, days, max } of limits)
    if ((await tries.count(name, (days * dayMs) / 1000)).tries > max) isWithin = false
  const granted = isWithin ? await grantTrial({ sql, config }, { userId, email }) : undefined
  if (granted) log.info({ accountId: granted }, 'a trial credit was granted')
  else for (const { name } of limits) await tries.takeBack(name)
}

/** Notifies the edges that a user has confirmed an address. Resolves to the account that the user used last. */
export async function announceConfirmation(
  context: Omit<ConfirmingContext, 'tries'>,
  { userId }: { userId: string },
): Promise<string | undefined> {
  const accountIds = await accountsOf(context.sql, { userId })
  for (const accountId of accountIds) await raiseRevisions(context, { accountId })
  return accountIds[0]
}
