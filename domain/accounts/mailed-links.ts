import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUuid } from '../../platform/checks.ts'
import { dayMs } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { networkOf, networksPerSite, siteOf } from '../../platform/http/addresses.ts'
import type { Ids } from '../../platform/ids.ts'
import { addJob } from '../../platform/jobs/add-job.ts'
import { sendsMail } from '../../platform/mail/send-mail.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { peppersOf } from '../keys/key-text.ts'
import type { AccountsContext } from './limit-tries.ts'
import { countTry } from './try-counter.ts'

/** The action that a link in an e-mail permits, if a person requests the e-mail. */
export type LinkPurpose = 'confirm_email' | 'change_email' | 'reset_password'

/**
 * The action that a token in an e-mail permits. Invitations have rows of their own (`domain/members`), and closing an
 * account sends the links that reopen it (`domain/closures`).
 */
export type TokenPurpose = LinkPurpose | 'accept_invitation' | 'reopen_account'

/** The time for which a link is valid, in milliseconds. */
export const linkLifetimesMs: Record<LinkPurpose, number> = {
  confirm_email: dayMs,
  change_email: dayMs,
  reset_password: 30 * 60_000,
}

/**
 * Maximum number of e-mails with links to one e-mail address, and from one client network, per window. A window is
 * shorter than the lifetime of a link, so if a stranger uses up the limit of an address, its owner still has a valid
 * link.
 */
export const linksPerAddress = 3
const linksPerNetwork = 20

/**
 * Requests an e-mail with a link to an address; the worker sends it (`send-link.ts`). A confirmation or a change names
 * the user whose address it is or becomes. The work is the same whether or not a user has the address, so that neither response nor
 * timing reveals this. Throws `too_many_tries`, and `mail_not_configured` if this installation has no mail server.
 */
export async function requestLink(
  context: AccountsContext,
  link: { purpose: LinkPurpose; email: string; userId?: string; address: string },
): Promise<void> {
  const { purpose, email, address } = link
  const { sql, clock, ids, config } = context
  if (!sendsMail(config)) throw new Problem('mail_not_configured')
  await countLink(context, { email, address })
  const expiresAt = new Date(clock.now() + linkLifetimesMs[purpose])
  await sql.begin(async transaction => {
    const linkId = await addLink(transaction, { clock, ids }, { ...link, expiresAt })
    await addJob(transaction, { name: 'send-link', payload: { linkId } })
  })
}

/** Adds a link, in a transaction that also adds the job that sends it. Resolves to its ID. */
export async function addLink(
  sql: SqlTransaction,
  { clock, ids }: { clock: Context['clock']; ids: Ids },
  link: { purpose: TokenPurpose; email: string; userId?: string; accountId?: string; expiresAt: Date },
): Promise<string> {
  const { purpose, email, userId = null, accountId = null, expiresAt } = link
  const id = ids.uuid()
  await sql`
    insert into mailed_links (id, purpose, email, user_id, account_id, created_at, expires_at)
    values (${id}, ${purpose}, ${email}, ${userId}, ${accountId}, ${new Date(clock.now())}, ${expiresAt})`
  return id
}

async function countLink(
  { tries }: AccountsContext,
  { email, address }: { email: string; address: string },
): Promise<void> {
  const site = siteOf(address)
  if (site) await countTry(tries, { name: `mail-site:${site}`, max: networksPerSite * linksPerNetwork })
  await countTry(tries, { name: `mail-network:${networkOf(address)}`, max: linksPerNetwork })
  await countTry(tries, { name: `mail-to:${email}`, max: linksPerAddress })
}

/** Returns the token of a link: its ID and a MAC, which only this installation can create. */
export function linkToken(
  { keyPepper }: Pick<Config, 'keyPepper'>,
  { id, purpose }: { id: string; purpose: TokenPurpose },
): string {
  return signId(keyPepper, { id, label: `link ${purpose}` })
}

/** Returns an ID with a MAC of the ID and its label under a secret. */
export function signId(secret: string, { id, label }: { id: string; label: string }): string {
  const mac = createHmac('sha256', secret).update(`${label} ${id}`).digest('base64url')
  return `${id}.${mac}`
}

/**
 * Uses a link. The link, and all other valid links to the same address for the same purpose, expire. Returns the
 * address to which the link was sent, and the user that it names. Throws `link_refused` if the token is forged, was
 * used, or has expired.
 */
export async function useLink(
  { sql, clock }: { sql: Sql | SqlTransaction; clock: Context['clock'] },
  link: { id: string; purpose: LinkPurpose },
): Promise<{ email: string; userId: string | null }> {
  const now = new Date(clock.now())
  const used = await sql<{ id: string; email: string; userId: string | null }[]>`
    update mailed_links set used_at = ${now}
    where used_at is null and purpose = ${link.purpose} and email = (
      select email from mailed_links
      where id = ${link.id} and purpose = ${link.purpose} and used_at is null and expires_at > ${now}
    )
    returning id, email, user_id as "userId"`
  const given = used.find(({ id }) => id === link.id)
  if (!given) throw new Problem('link_refused', { param: 'token' })
  return given
}

/**
 * The condition that a link may set the password of a user `u`. A user without a password whom single sign-on made a
 * member gets none by e-mail, because the issuer decides who may sign in.
 */
export function mayHavePassword(sql: Sql | SqlTransaction) {
  return sql`(u.password_hash is not null or not exists (select from identity_joins j where j.user_id = u.id))`
}

/**
 * Returns the ID in a token that this installation created for the purpose. Throws `link_refused` for any other token.
 */
export function readLinkToken(
  config: Pick<Config, 'keyPepper' | 'keyPepperSecond'>,
  { token, purpose }: { token: string; purpose: TokenPurpose },
): string {
  const id = readSignedId(config, { token, label: `link ${purpose}` })
  if (id === undefined) throw new Problem('link_refused', { param: 'token' })
  return id
}

/** Returns the UUID in a token that `signId` created under a valid pepper for the label; otherwise undefined. */
export function readSignedId(
  config: Pick<Config, 'keyPepper' | 'keyPepperSecond'>,
  { token, label }: { token: string; label: string },
): string | undefined {
  const id = token.slice(0, 36)
  const given = Buffer.from(token.slice(0, 200))
  const isOurs = peppersOf(config).some(pepper => {
    const expected = Buffer.from(signId(pepper, { id, label }))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isUuid(id) && isOurs ? id : undefined
}

/** Deletes links that expired more than a week ago. Resolves to how many. */
export async function forgetLinks({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const deleted = await sql`delete from mailed_links where expires_at < now() - interval '7 days'`
  return deleted.count
}
