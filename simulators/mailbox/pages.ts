import { escapeHtml } from '../../platform/http/escape-html.ts'
import { htmlPage } from '../server/page.ts'
import type { CaughtMail } from './mailbox.ts'

/** The list of mails, the newest first; it updates itself. */
export function mailsPage(mails: readonly CaughtMail[]): string {
  const rows = mails.map(
    ({ id, at, recipients, subject }) => `<tr>
      <td>${escapeHtml(momentOf(at))}</td><td>${escapeHtml(recipients.join(', '))}</td>
      <td><a href="/mails/${id}">${escapeHtml(subject || '(no subject)')}</a></td></tr>`,
  )
  const list = `<table><tr><th>at</th><th>to</th><th>subject</th></tr>${rows.join('\n')}</table>`
  return page('Mailbox', {
    isLive: true,
    body: mails.length > 0 ? list : '<p>No mail yet. Whatever Rubicon sends is caught here.</p>',
  })
}

/** One mail: who it is from and for, its text, and what a mail program would show. */
export function mailPage({ at, from, recipients, subject, messageId, text, html }: CaughtMail): string {
  return page(subject, {
    body: `<p><a href="/">All mails</a></p>
      <dl><dt>at</dt><dd>${escapeHtml(momentOf(at))}</dd><dt>from</dt><dd>${escapeHtml(from)}</dd>
      <dt>to</dt><dd>${escapeHtml(recipients.join(', '))}</dd>
      <dt>Message-ID</dt><dd>${escapeHtml(messageId)}</dd></dl>
      <pre>${escapeHtml(text)}</pre>
      <iframe sandbox title="as HTML" srcdoc="${escapeHtml(html)}"></iframe>`,
  })
}

const style = `table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .3rem .8rem .3rem 0 }
  dt { float: left; width: 7rem; opacity: .6 }
  pre { white-space: pre-wrap }
  pre, iframe { box-sizing: border-box; width: 100%; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
  iframe { height: 16rem; background: #fff; color-scheme: light }`

function page(title: string, { body, isLive = false }: { body: string; isLive?: boolean }): string {
  return htmlPage({ title, isLive, style, body: `<h1>${escapeHtml(title)}</h1>${body}` })
}

function momentOf(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19)
}
