import { createTransport } from 'nodemailer'
import type { Config } from '../config/read-config.ts'
import { escapeHtml } from '../pages/escape-html.ts'

/** An e-mail to be sent. */
export interface Mail {
  /** The first part of its Message-ID, the same for each attempt, so that a mail system recognises a repeat. */
  id: string
  /** Plain addresses (`isPlainAddress`). */
  to: readonly string[]
  subject: string
  /** Plain text; it is sent as text and as simple HTML. */
  paragraphs: readonly string[]
}

/** Maximum time of connecting and of each later step, in milliseconds. All steps together have twice this time. */
const stepTimeoutMs = 10_000

/**
 * Sends an e-mail through `SMTP_URL`; resolves once the server has taken it, with the addresses that it refused.
 * Throws where it takes longer than 20 s, refuses all addresses, or `signal` is aborted. Nothing is sent where
 * `SMTP_URL` is `none`: check `sendsMail` before.
 */
export async function sendMail(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  { id, to, subject, paragraphs }: Mail,
  signal: AbortSignal,
): Promise<{ refused: number }> {
  const transport = createTransport({ ...serverOf(smtpUrl), ...timeouts })
  const { rejected } = await transport.sendMail({
    from: mailFrom,
    to: to.map(address => ({ name: '', address })),
    subject: subject.replaceAll(/\p{C}+/gu, ' '),
    text: paragraphs.join('\n\n'),
    html: paragraphs.map(paragraph => `<p>${escapeHtml(paragraph)}</p>`).join('\n'),
    messageId: `<${id}@${domainOf(mailFrom)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' }, // suppresses holiday replies
    disableFileAccess: true,
    disableUrlAccess: true,
    signal: AbortSignal.any([signal, AbortSignal.timeout(2 * stepTimeoutMs)]),
  })
  return { refused: rejected.length }
}

/** Whether an address needs no quoting. Other addresses get no e-mail, because a mail program could misread them. */
export function isPlainAddress(address: string): boolean {
  return /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u.test(address)
}

/** Whether there is a mail server to send through. */
export function sendsMail({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean {
  return smtpUrl !== 'none'
}

const timeouts = {
  dnsTimeout: stepTimeoutMs,
  connectionTimeout: stepTimeoutMs,
  greetingTimeout: stepTimeoutMs,
  socketTimeout: stepTimeoutMs,
}

/** A password goes over an encrypted connection only, except to this machine. */
function serverOf(smtpUrl: string) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  const isLoopback = /^(127\.|localhost$|\[::1\]$)/i.test(hostname)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: username !== '' && !secure && !isLoopback,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}

/** The domain of `Name <name@example.com>`. */
function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf('@') + 1).replace('>', '')
}
