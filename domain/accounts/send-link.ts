import { isPlainAddress, type Mail, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { Context } from '../context.ts'
import { type LinkPurpose, linkLifetimesMs, linkToken } from './mailed-links.ts'

/** A link to send: the payload of its job. */
export interface LinkToSend {
  linkId: string
}

type SendingContext = Pick<Context, 'sql' | 'config' | 'log' | 'clock'>

interface Link {
  id: string
  purpose: LinkPurpose
  email: string
  /**
   * The latest user who signed up with the address and has not confirmed it. For a reset, only a user with a password:
   * the confirmation would otherwise give the address to someone whose password cannot be reset.
   */
  latestUserId: string | null
  /** Whether the user whom a confirmation names has confirmed the address. */
  isDone: boolean
  /** Whether any user has confirmed the address. */
  isConfirmed: boolean
  /** Whether that user has no password, and signs in through an issuer. */
  hasNoPassword: boolean
}

/**
 * Sends the e-mail of a link. If no user has the address, no e-mail is sent. If the address is not confirmed, the
 * e-mail has a confirmation link, even if a new password was requested. If a new account wants to confirm an address
 * that belongs to another account, the address's owner is notified. If the worker is killed during a send, the e-mail
 * is sent again with the same Message-ID. Throws if the mail server does not accept it; the job is then retried.
 */
export async function sendLink(
  context: SendingContext,
  { link: { linkId }, signal }: { link: LinkToSend; signal: AbortSignal },
): Promise<void> {
  const { config, log } = context
  const link = await findLink(context, linkId)
  if (!link || !isPlainAddress(link.email)) return
  if (link.isDone || (link.purpose === 'reset_password' && isWithoutPassword(link))) return
  if (!sendsMail(config)) {
    log.warn({ linkId }, 'an e-mail was not sent: SMTP_URL is none')
    return
  }
  const purpose = await permittedPurpose(context, link)
  const texts = textsOf(config, { ...link, purpose })
  const mail = { id: `link_${linkId.replaceAll('-', '')}`, to: [link.email], ...texts }
  await sendMail(config, mail, signal)
  log.info({ linkId, purpose }, 'a link was sent')
}

/** A user without a password gets none by e-mail: the issuer decides who may sign in. */
function textsOf(
  config: Context['config'],
  { id, purpose, hasNoPassword }: { id: string; purpose: LinkPurpose | undefined; hasNoPassword: boolean },
): Pick<Mail, 'subject' | 'paragraphs'> {
  if (purpose === 'reset_password' && hasNoPassword) return signsInElsewhere(config)
  return purpose ? mailOf(config, id, purpose) : accountExists(config)
}

function signsInElsewhere({ baseUrl }: Context['config']): Pick<Mail, 'subject' | 'paragraphs'> {
  return {
    subject: 'You sign in with single sign-on',
    paragraphs: [
      `Someone requested a new password for this address. You have no password: you sign in with single sign-on at ${baseUrl}/account/sign-in.`,
      'If it was not you, ignore this e-mail.',
    ],
  }
}

/** Returns the link if it is still valid and a user has its address. */
async function findLink({ sql, clock }: SendingContext, linkId: string): Promise<Link | undefined> {
  const [link] = await sql<Link[]>`
    select l.id, l.purpose, l.email,
      (select id from users u where lower(u.email) = l.email and u.email_confirmed_at is null
        and (l.purpose <> 'reset_password' or u.password_hash is not null) order by created_at desc limit 1) as "latestUserId",
      exists (select from users u where lower(u.email) = l.email and u.email_confirmed_at is not null) as "isConfirmed",
      exists (select from users u where lower(u.email) = l.email and u.email_confirmed_at is not null
        and u.password_hash is null) as "hasNoPassword",
      exists (select from users u where u.id = l.user_id and u.email_confirmed_at is not null) as "isDone"
    from mailed_links l
    where l.id = ${linkId} and l.used_at is null and l.expires_at > ${new Date(clock.now())}
      and exists (select from users u where lower(u.email) = l.email)`
  return link
}

/** Returns the action that the link permits: none if the address belongs to another account. */
async function permittedPurpose(
  { sql, clock }: SendingContext,
  link: Link,
): Promise<LinkPurpose | undefined> {
  const { id, purpose, isConfirmed, latestUserId } = link
  if (purpose === 'confirm_email') return isConfirmed ? undefined : purpose
  if (isConfirmed) return purpose
  const expiresAt = new Date(clock.now() + linkLifetimesMs.confirm_email)
  await sql`
    update mailed_links set purpose = 'confirm_email', user_id = ${latestUserId}, expires_at = ${expiresAt}
    where id = ${id}`
  return 'confirm_email'
}

/** Returns whether no user of the address has a password that could be reset. */
function isWithoutPassword({ isConfirmed, latestUserId }: Link): boolean {
  return !isConfirmed && latestUserId === null
}

function accountExists({ baseUrl }: Context['config']): Pick<Mail, 'subject' | 'paragraphs'> {
  return {
    subject: 'You already have an account',
    paragraphs: [
      'Someone signed up with this address, but it belongs to your account already.',
      `If it was you, log in with your password. To set a new one, send the address to POST ${baseUrl}/api/v1/auth/request-password-reset.`,
      'If it was not you, ignore this e-mail: your account has not changed, and no one else can confirm your address.',
    ],
  }
}

function mailOf(
  config: Context['config'],
  id: string,
  purpose: LinkPurpose,
): Pick<Mail, 'subject' | 'paragraphs'> {
  const token = linkToken(config, { id, purpose })
  if (purpose === 'confirm_email')
    return {
      subject: 'Confirm your e-mail address',
      paragraphs: [
        `Confirm that this address is yours: ${config.baseUrl}/account/confirm-email#${token}`,
        'The link works once, for 24 hours. Programs send the part after # to POST /api/v1/auth/confirm-email.',
        'If you did not sign up, ignore this e-mail. Until you confirm the address, it gets no other e-mails from us.',
      ],
    }
  return {
    subject: 'Set a new password',
    paragraphs: [
      `Set a new password: ${config.baseUrl}/account/reset-password#${token}`,
      'The link works once, for 30 minutes, and ends all sessions. API keys stay valid unless you tick “Revoke all API keys” on that page.',
      'Programs send the part after # to POST /api/v1/auth/reset-password, and "revoke_api_keys": true to revoke all API keys as well. DELETE /api/v1/api-keys/{id} revokes a single key.',
      'If you did not request a new password, ignore this e-mail: your password does not change.',
    ],
  }
}
