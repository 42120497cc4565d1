import { createTransport } from 'nodemailer'
import type { Config } from '../config/read-config.ts'
import { escapeHtml } from '../pages/escape-html.ts'

/** An e-mail to be sent. */
export interface Mail {
  /** The first part of its Message-ID, the same for each attempt, so that a mail system recognises a repeat. */
  id: string
  /** The recipients, plain addresses (`isPlainAddress`). */
  to: readonly string[]
  subject: string
  /** The text. It is sent as plain text and as simple HTML. */
  paragraphs: readonly string[]
}

/**
 * Maximum time of connecting, and of each later step, in milliseconds. All steps together take at most twice this time.
 */
const stepTimeoutMs = 10_000

/**
 * Sends an e-mail through `SMTP_URL`. Resolves to the addresses that the server refused, when it has accepted the
 * e-mail. Throws if it takes longer than 20 s or refuses all addresses, or if `signal` is aborted. If `SMTP_URL` is
 * `none`, nothing is sent: check `sendsMail` first.
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

/** Connects to `SMTP_URL`, negotiates TLS and logs in, as `sendMail` does, and sends nothing. Throws if a step fails. */
export async function greetMailServer({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<void> {
  await createTransport({ ...serverOf(smtpUrl), ...timeouts }).verify()
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

/** A password is sent only over an encrypted connection, except to this machine. */
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

/** Returns the domain of `Name <name@example.com>`. */
function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf('@') + 1).replace('>', '')
}
