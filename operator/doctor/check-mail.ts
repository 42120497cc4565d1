import { randomUUID } from 'node:crypto'
import type { Config } from '../../platform/config/read-config.ts'
import { greetMailServer, isPlainAddress, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { Result } from './check.ts'

/**
 * Connects to the mail server, negotiates TLS and logs in. Sends a test e-mail only if `recipient` is given. Throws the
 * reason if a step fails.
 */
export async function checkMail(config: Config, recipient: string | undefined): Promise<Result> {
  if (!sendsMail(config)) return { skipped: 'SMTP_URL is none: no e-mail is sent' }
  if (recipient === undefined) {
    await greetMailServer(config)
    return { findings: [], summary: 'the server accepts the log-in; no e-mail was sent' }
  }
  if (!isPlainAddress(recipient)) throw new Error('--mail must be an e-mail address')
  const mail = {
    id: `doctor.${randomUUID()}`,
    to: [recipient],
    subject: 'Test e-mail of Rubicon',
    paragraphs: ['An operator sent this e-mail with npm run doctor. Nothing has to be done.'],
  }
  await sendMail(config, mail, new AbortController().signal)
  return { findings: [], summary: `the server accepted a test e-mail to ${recipient}` }
}
