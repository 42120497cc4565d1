import { isPlainAddress, type Mail, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import { linkToken } from '../accounts/mailed-links.ts'
import type { Context } from '../context.ts'

/** The link of an owner of a closed account: the payload of its job. */
export interface ClosureToSend {
  linkId: string
}

interface Letter {
  email: string
  accountId: string
  accountName: string
  eraseAt: Date
}

/**
 * Notifies an owner that the account was closed, and sends the link that reopens it, unless it was reopened before
 * that. If the worker is killed during a send, the e-mail is sent again with the same Message-ID. Throws if the mail
 * server does not accept it; the job is then retried.
 */
export async function sendClosure(
  { sql, config, log, clock }: Pick<Context, 'sql' | 'config' | 'log' | 'clock'>,
  { closure: { linkId }, signal }: { closure: ClosureToSend; signal: AbortSignal },
): Promise<void> {
  const [letter] = await sql<Letter[]>`
    select l.email, a.id as "accountId", a.name as "accountName", a.erase_at as "eraseAt"
    from mailed_links l join accounts a on a.id = l.account_id
    where l.id = ${linkId} and l.used_at is null and l.expires_at > ${new Date(clock.now())} and a.erase_at is not null`
  if (!letter || !isPlainAddress(letter.email)) return
  const { email, accountId } = letter
  if (!sendsMail(config)) {
    log.warn({ accountId, linkId }, 'the e-mail about a closed account was not sent: SMTP_URL is none')
    return
  }
  const token = linkToken(config, { id: linkId, purpose: 'reopen_account' })
  const texts = textsOf(letter, `${config.baseUrl}/account/reopen-account#${token}`)
  await sendMail(config, { id: `closure_${linkId.replaceAll('-', '')}`, to: [email], ...texts }, signal)
  log.info({ accountId, linkId }, 'the e-mail about a closed account was sent')
}

function textsOf(letter: Letter, link: string): Pick<Mail, 'subject' | 'paragraphs'> {
  const { accountId, accountName, eraseAt } = letter
  return {
    subject: 'Your account was closed',
    paragraphs: [
      `An owner closed the account “${accountName}” (${accountId}). Its API keys and sessions no longer work. Its data are deleted from ${eraseAt.toISOString().slice(0, 10)} on.`,
      `Until then, you can reopen it: ${link}`,
      'The link works once, and keys and sessions then work again. Programs send the part after # to POST /api/v1/auth/reopen-account.',
      'Credits that are left stay on the account. Closing refunds no payment: ask the operator of the service for a refund.',
    ],
  }
}
