import { isPlainAddress, type Mail, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { Context } from '../context.ts'
import { type LinkPurpose, linkToken, mayHavePassword } from './mailed-links.ts'

/** A link to send: the payload of its job. */
export interface LinkToSend {
  linkId: string
}

type SendingContext = Pick<Context, 'sql' | 'config' | 'log' | 'clock'>

interface Link {
  id: string
  purpose: LinkPurpose
  email: string
  /** The latest user with the address, if no user has confirmed it. A reset names this user. */
  latestUserId: string | null
  /** Whether the user whom a confirmation or a change names has confirmed the address. */
  isDone: boolean
  /** Whether any user has confirmed the address. */
  isConfirmed: boolean
  /** Whether that user has no password and gets none by e-mail. */
  isManaged: boolean
}

type Text = Pick<Mail, 'subject' | 'paragraphs'>

/**
 * Sends the e-mail of a link. If no user has the address, only the link of a change is sent. If no user has confirmed the
 * address, the link of a reset names the latest user with the address, and confirms it for this user. If a user wants to
 * confirm an address, or to change to one, that belongs to another user, the address's owner is notified. If the worker is killed during a
 * send, the e-mail is sent again with the same Message-ID. Throws if the mail server does not accept it; the job is then
 * retried.
 */
export async function sendLink(
  context: SendingContext,
  { link: { linkId }, signal }: { link: LinkToSend; signal: AbortSignal },
): Promise<void> {
  const { config, log } = context
  const link = await findLink(context, linkId)
  if (!link || link.isDone || !isPlainAddress(link.email)) return
  if (!sendsMail(config)) {
    log.warn({ linkId }, 'an e-mail was not sent: SMTP_URL is none')
    return
  }
  const texts = await prepareTexts(context, link)
  if (!texts) return
  const mail = { id: `link_${linkId.replaceAll('-', '')}`, to: [link.email], ...texts }
  await sendMail(config, mail, signal)
  log.info({ linkId, purpose: link.purpose }, 'a link was sent')
}

/** Returns the link if it is still valid, and if it changes an address or a user has the address. */
async function findLink({ sql, clock }: SendingContext, linkId: string): Promise<Link | undefined> {
  const [link] = await sql<Link[]>`
    select l.id, l.purpose, l.email,
      (select id from users u where lower(u.email) = l.email and u.email_confirmed_at is null and ${mayHavePassword(sql)}
        order by created_at desc, id desc limit 1) as "latestUserId",
      exists (select from users u where lower(u.email) = l.email and u.email_confirmed_at is not null) as "isConfirmed",
      exists (select from users u where lower(u.email) = l.email and u.email_confirmed_at is not null
        and not ${mayHavePassword(sql)}) as "isManaged",
      l.purpose in ('confirm_email', 'change_email') and exists (
        select from users u where u.id = l.user_id and lower(u.email) = l.email and u.email_confirmed_at is not null
      ) as "isDone"
    from mailed_links l
    where l.id = ${linkId} and l.used_at is null and l.expires_at > ${new Date(clock.now())}
      and (l.purpose = 'change_email' or exists (select from users u where lower(u.email) = l.email))`
  return link
}

/** Returns the texts of the e-mail, or undefined if none is sent. */
async function prepareTexts({ sql, config }: SendingContext, link: Link): Promise<Text | undefined> {
  const { id, purpose, isConfirmed, isManaged, latestUserId } = link
  if (purpose === 'confirm_email')
    return isConfirmed ? accountExists(config, 'signed up with this address') : confirmation(config, id)
  if (purpose === 'change_email')
    return isConfirmed ? accountExists(config, 'wanted to log in with this address') : newAddress(config, id)
  if (isManaged) return signsInElsewhere(config)
  if (isConfirmed) return newPassword(config, id)
  if (latestUserId === null) return undefined
  await sql`update mailed_links set user_id = ${latestUserId} where id = ${id}`
  return newPassword(config, id, [
    'No one has confirmed this address yet. The new password confirms it, and the account then belongs to you. If you did not open the account, tick “Revoke all API keys”: the person who opened it may have created some.',
  ])
}

/** A user whom single sign-on made a member gets no password by e-mail: the issuer decides who may sign in. */
function signsInElsewhere({ baseUrl }: Context['config']): Text {
  return {
    subject: 'You sign in with single sign-on',
    paragraphs: [
      `Someone requested a new password for this address. You have no password: you sign in with single sign-on at ${baseUrl}/account/sign-in.`,
      'If it was not you, ignore this e-mail.',
    ],
  }
}

/** `deed` is what someone did with an address that belongs to another user. */
function accountExists({ baseUrl }: Context['config'], deed: string): Text {
  return {
    subject: 'You already have an account',
    paragraphs: [
      `Someone ${deed}, but it belongs to your account already.`,
      `If it was you, log in with your password. To set a new one, send the address to POST ${baseUrl}/api/v1/auth/request-password-reset.`,
      'If it was not you, ignore this e-mail: your account has not changed, and no one else can confirm your address.',
    ],
  }
}

function confirmation(config: Context['config'], id: string): Text {
  const token = linkToken(config, { id, purpose: 'confirm_email' })
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Confirm that this address is yours: ${config.baseUrl}/account/confirm-email#${token}`,
      'The link works once, for 24 hours. Programs send the part after # to POST /api/v1/auth/confirm-email.',
      'If you did not sign up, ignore this e-mail. Until you confirm the address, it gets no other e-mails from us.',
    ],
  }
}

/** The link works in a session of the user only, so a stranger who gets the e-mail by mistake cannot use it. */
function newAddress(config: Context['config'], id: string): Text {
  const token = linkToken(config, { id, purpose: 'change_email' })
  return {
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Log in with this address from now on: ${config.baseUrl}/account/change-email#${token}`,
      'The link works once, for 24 hours, where you are logged in with your present address. Programs send the part after # to POST /api/v1/auth/change-email, with a session of the user.',
      'If you did not ask for this, ignore this e-mail: nothing changes, and no one can use this address.',
    ],
  }
}

/** `more` are paragraphs after the link. */
function newPassword(config: Context['config'], id: string, more: readonly string[] = []): Text {
  const token = linkToken(config, { id, purpose: 'reset_password' })
  return {
    subject: 'Set a new password',
    paragraphs: [
      `Set a new password: ${config.baseUrl}/account/reset-password#${token}`,
      ...more,
      'The link works once, for 30 minutes, and ends all sessions. API keys stay valid unless you tick “Revoke all API keys” on that page.',
      'Programs send the part after # to POST /api/v1/auth/reset-password, and "revoke_api_keys": true to revoke all API keys as well. DELETE /api/v1/api-keys/{id} revokes a single key.',
      'If you did not request a new password, ignore this e-mail: your password does not change.',
    ],
  }
}
