import { isPlainAddress, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { Context } from '../context.ts'
import type { SignInChange, SignInNotice } from './add-notice.ts'

/**
 * Sends the e-mail of a notice. An address that its user has not confirmed gets no e-mail. The notice of a changed
 * e-mail address goes to the previous one, which the row of the link has. If the worker is killed
 * during a send, the e-mail is sent again with the same Message-ID. Throws if the mail server does not accept it; the
 * job is then retried.
 */
export async function sendNotice(
  { sql, config, log }: Pick<Context, 'sql' | 'config' | 'log'>,
  { notice, signal }: { notice: SignInNotice; signal: AbortSignal },
): Promise<void> {
  const { id, userId, change, at, address, linkId = null } = notice
  const [user] = await sql<{ email: string }[]>`
    select coalesce(l.replaced_email, u.email) as email from users u left join mailed_links l on l.id = ${linkId}
    where u.id = ${userId} and u.email_confirmed_at is not null`
  if (!user || !isPlainAddress(user.email)) return
  if (!sendsMail(config)) {
    log.warn({ userId, change }, 'a notice was not sent: SMTP_URL is none')
    return
  }
  const { subject, text, advice = usualAdvice } = texts[change]
  const time = `${at.slice(0, 16).replace('T', ' ')} UTC`
  const place = address === undefined ? 'by the operator of the service' : `from the address ${address}`
  const paragraphs = [
    `${text} The change was made at ${time}, ${place}.`,
    `Account: ${user.email} at ${config.baseUrl}.`,
    `If it was not you, ${advice}`,
  ]
  await sendMail(config, { id: `notice_${id}`, to: [user.email], subject, paragraphs }, signal)
  log.info({ userId, change }, 'a notice was sent')
}

const usualAdvice =
  'set a new password with POST /api/v1/auth/request-password-reset, end your other sessions, and contact the owner of your account.'

/** The texts of each change. `advice` is for a user who did not make the change. */
const texts: Readonly<Record<SignInChange, { subject: string; text: string; advice?: string }>> = {
  password_changed: { subject: 'Your password was changed', text: 'Your password was changed.' },
  email_changed: {
    subject: 'Your e-mail address was changed',
    text: 'You no longer log in with this address: your user has another one.',
    advice:
      'contact the operator of the service and the owner of your account at once. This address can no longer set a new password.',
  },
  authenticator_app_added: {
    subject: 'An authenticator app was added',
    text: 'An authenticator app was added to your sign-in.',
  },
  passkey_added: { subject: 'A passkey was added', text: 'A passkey was added to your sign-in.' },
  second_factor_removed: {
    subject: 'A second factor was removed',
    text: 'An authenticator app or a passkey was removed from your sign-in.',
  },
  recovery_codes_renewed: {
    subject: 'Your recovery codes were replaced',
    text: 'You have new recovery codes. The previous ones no longer work.',
  },
  recovery_code_used: {
    subject: 'A recovery code was used',
    text: 'One of your recovery codes was used instead of a second factor. It does not work again.',
  },
  second_factors_reset: {
    subject: 'Your second factors were removed',
    text: 'All second factors and recovery codes were removed from your sign-in, and your sessions were ended.',
  },
}
