import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { type Api, type Exchange, refuseWith } from '../server/exchange.ts'
import { htmlPage, liveScriptSource } from '../server/page.ts'
import { sendWhole } from '../server/send.ts'
import type { Mailbox, ReceivedMail } from './mailbox.ts'

/** The mailbox over HTTP: pages, and JSON for scripts and tests. */
export const mailboxApi: Api<Mailbox> = {
  prefix: '/',
  routes: [
    { method: 'GET', path: '/', handle: showPage },
    { method: 'GET', path: '/mails', handle: listMails },
    { method: 'GET', path: /^\/mails\/(?<id>\d+)$/, handle: showMail },
  ],
}

function showPage({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  return sendWhole(exchange, { headers: pageHeaders, body: mailsPage(mails.toReversed()) })
}

/** Lists mails, oldest first, filtered by the recipient `to`. */
function listMails({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  const to = exchange.query.get('to')?.toLowerCase()
  const found = mails.filter(
    ({ recipients }) => to === undefined || recipients.some(address => address.toLowerCase() === to),
  )
  return sendWhole(exchange, { body: { data: found.map(presentMail) } })
}

function showMail({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  const mail = mails.find(({ id }) => String(id) === exchange.params.id)
  if (!mail) throw refuseWith(404, 'Mail not found. The mailbox keeps the last 1,000 mails.')
  if (!exchange.request.headers.accept?.includes('text/html'))
    return sendWhole(exchange, { body: presentMail(mail) })
  return sendWhole(exchange, { headers: pageHeaders, body: mailPage(mail) })
}

/** Mails cannot run scripts or load resources. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; connect-src 'self'; script-src ${liveScriptSource}`,
  'x-content-type-options': 'nosniff',
}

function presentMail({ messageId, ...mail }: ReceivedMail) {
  return { ...mail, at: new Date(mail.at).toISOString(), message_id: messageId }
}

/** Renders the list of mails, newest first. The page refreshes itself. */
function mailsPage(mails: readonly ReceivedMail[]): string {
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
function mailPage({ at, from, recipients, subject, messageId, text, html }: ReceivedMail): string {
  return page(subject, {
    body: `<p><a href="/">All mails</a></p>
      <dl><dt>Received</dt><dd>${escapeHtml(timeOf(at))}</dd><dt>From</dt><dd>${escapeHtml(from)}</dd>
      <dt>To</dt><dd>${escapeHtml(recipients.join(', '))}</dd>
      <dt>Message-ID</dt><dd>${escapeHtml(messageId)}</dd></dl>
      <pre>${withLinks(escapeHtml(text))}</pre>
      <iframe sandbox title="HTML" srcdoc="${escapeHtml(html)}"></iframe>`,
  })
}

/** Turns the URLs of escaped text into links. */
function withLinks(escaped: string): string {
  return escaped.replace(
    /https?:\/\/[\w.:/#?=%-]*[\w/]/g,
    url => `<a href="${url}" rel="noreferrer">${url}</a>`,
  )
}

const style = `table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .3rem .8rem .3rem 0 }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
  dt { opacity: .7 }
  dd { margin: 0; overflow-wrap: anywhere }
  pre { white-space: pre-wrap; overflow-wrap: anywhere }
  pre, iframe { box-sizing: border-box; width: 100%; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
  iframe { height: 16rem; background: #fff; color-scheme: light }`

function page(title: string, { body, isLive = false }: { body: string; isLive?: boolean }): string {
  return htmlPage({ title, isLive, style, body: `<h1>${escapeHtml(title)}</h1>${body}` })
}

function timeOf(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19)
}
