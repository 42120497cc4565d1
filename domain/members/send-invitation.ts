import { isPlainAddress, type Mail, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { linkToken } from '../accounts/mailed-links.ts'
import type { Context } from '../context.ts'

/** An invitation to send: the payload of its job. */
export interface InvitationToSend {
  invitationLinkId: string
}

type SendingContext = Pick<Context, 'sql' | 'config' | 'log' | 'clock'>

interface Letter {
  email: string
  role: Role
  accountName: string
  inviterEmail: string | null
}

/**
 * Sends the e-mail of an invitation, unless it was accepted, revoked, sent again or has expired. The e-mail is the same
 * whether or not a user has the address. If the worker is killed during a send, the e-mail is sent again with the same
 * Message-ID. Throws if the mail server does not accept it; the job is then retried.
 */
export async function sendInvitation(
  { sql, config, log, clock }: SendingContext,
  { invitation, signal }: { invitation: InvitationToSend; signal: AbortSignal },
): Promise<void> {
  const { invitationLinkId: id } = invitation
  const [letter] = await sql<Letter[]>`
    select i.email, i.role, a.name as "accountName", u.email as "inviterEmail"
    from invitations i join accounts a on a.id = i.account_id left join users u on u.id = i.invited_by
    where i.link_id = ${id} and i.expires_at > ${new Date(clock.now())} 
      and account_refusal(a.suspended_at, a.closed_at) is null`
  if (!letter || !isPlainAddress(letter.email)) return
  if (!sendsMail(config)) {
    log.warn({ invitationLinkId: id }, 'an invitation was not sent: SMTP_URL is none')
    return
  }
  const token = linkToken(config, { id, purpose: 'accept_invitation' })
  const texts = textsOf(letter, `${config.baseUrl}/account/accept-invitation#${token}`)
  await sendMail(config, { id: `invitation_${id.replaceAll('-', '')}`, to: [letter.email], ...texts }, signal)
  log.info({ invitationLinkId: id }, 'an invitation was sent')
}

function textsOf(letter: Letter, link: string): Pick<Mail, 'subject' | 'paragraphs'> {
  const { role, accountName, inviterEmail } = letter
  const name = shownName(accountName)
  return {
    subject: 'You are invited to an account',
    paragraphs: [
      `${inviterEmail ?? 'An administrator'} invites you to ${name ? `the account “${name}”` : 'an account'} with the role ${role}.`,
      `Accept the invitation: ${link}`,
      'The link works once, for seven days. Programs send the part after # to POST /api/v1/auth/accept-invitation.',
      'If you do not know the sender, ignore this e-mail: nothing happens unless you accept.',
    ],
  }
}

/** Maximum length of the account's name in the e-mail, in characters. */
const maxShownName = 60

/** Returns an account's name for an e-mail to strangers; undefined if it could be read as a link. */
function shownName(name: string): string | undefined {
  const shown = name.replace(/[\s\p{C}]+/gu, ' ').trim()
  return /[/\\]|www\./i.test(shown) ? undefined : shown.slice(0, maxShownName)
}
