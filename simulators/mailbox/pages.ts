import { escapeHtml } from '../../platform/http/escape-html.ts'
import { htmlPage } from '../server/page.ts'
import type { ReceivedMail } from './mailbox.ts'

/** Renders the list of mails, newest first. The page refreshes itself. */
export function mailsPage(mails: readonly ReceivedMail[]): string {
  const rows = mails.map(
    ({ id, at, recipients, subject }) => `<tr>
      <td>${escapeHtml(timeOf(at))}</td><td>${escapeHtml(recipients.join(', '))}</td>
      <td><a href="/mails/${id}">${escapeHtml(subject || '(no subject)')}</a></td></tr>`,
  )
  const list = `<table><tr><th>Received</th><th>To</th><th>Subject</th></tr>${rows.join('\n')}</table>`
  return page('Mailbox', {
    isLive: true,
    body: mails.length > 0 ? list : '<p>No mails yet. All mails that Rubicon sends appear here.</p>',
  })
}

/** Renders a mail: its headers, text and HTML. */
export function mailPage({ at, from, recipients, subject, messageId, text, html }: ReceivedMail): string {
  return page(subject, {
    body: `<p><a href="/">All mails</a></p>
      <dl><dt>Received</dt><dd>${escapeHtml(timeOf(at))}</dd><dt>From</dt><dd>${escapeHtml(from)}</dd>
      <dt>To</dt><dd>${escapeHtml(recipients.join(', '))}</dd>
      <dt>Message-ID</dt><dd>${escapeHtml(messageId)}</dd></dl>
      <pre>${escapeHtml(text)}</pre>
      <iframe sandbox title="HTML" srcdoc="${escapeHtml(html)}"></iframe>`,
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

function timeOf(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19)
}
