import { isPlainAddress, type Mail, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { Context } from '../context.ts'
import { type LinkPurpose, linkLifetimesMs, linkToken } from './mailed-links.ts'

/** A link to send, as its job carries it. */
export interface LinkToSend {
  linkId: string
}

type SendingContext = Pick<Context, 'sql' | 'config' | 'log' | 'clock'>

interface Link {
  id: string
  purpose: LinkPurpose
  email: string
  isConfirmed: boolean
}

/**
 * Sends the e-mail of a link. An address that no user has gets none. An address that is not confirmed gets a
 * confirmation, even if a new password was requested. If the worker is killed in between, it sends the same e-mail again
 * under the same Message-ID. Throws if the mail server does not accept it; the job is then tried again.
 */
export async function sendLink(
  context: SendingContext,
  { link: { linkId }, signal }: { link: LinkToSend; signal: AbortSignal },
): Promise<void> {
  const { config, log } = context
  const link = await findLink(context, linkId)
  if (!link || !isPlainAddress(link.email)) return
  if (link.purpose === 'confirm_email' && link.isConfirmed) return
  if (!sendsMail(config)) {
    log.warn({ linkId }, 'an e-mail was not sent: SMTP_URL is none')
    return
  }
  const { purpose, email } = await permittedLink(context, link)
  const mail = { id: `link_${linkId.replaceAll('-', '')}`, to: [email], ...mailOf(config, linkId, purpose) }
  await sendMail(config, mail, signal)
  log.info({ linkId, purpose }, 'a link was sent')
}

/** The link, if it is still valid and a user has its address. */
async function findLink({ sql, clock }: SendingContext, linkId: string): Promise<Link | undefined> {
  const [link] = await sql<Link[]>`
    select l.id, l.purpose, l.email, u.email_confirmed_at is not null as "isConfirmed"
    from mailed_links l join users u on lower(u.email) = l.email
    where l.id = ${linkId} and l.used_at is null and l.expires_at > ${new Date(clock.now())}`
  return link
}

/** The link itself, or a confirmation in its place if the address is not confirmed. */
async function permittedLink({ sql, clock }: SendingContext, link: Link): Promise<Link> {
  if (link.isConfirmed || link.purpose === 'confirm_email') return link
  const purpose = 'confirm_email'
  const expiresAt = new Date(clock.now() + linkLifetimesMs[purpose])
  await sql`update mailed_links set purpose = ${purpose}, expires_at = ${expiresAt} where id = ${link.id}`
  return { ...link, purpose }
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
      'The link works once, for 30 minutes, and ends all sessions. Programs send the part after # to POST /api/v1/auth/reset-password.',
      'If you did not request a new password, ignore this e-mail: your password does not change.',
    ],
  }
}
