import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { type Answer, type Api, type Exchange, refuseWith } from '../server/exchange.ts'
import { answerPage, formatTime, renderTable } from '../server/page.ts'
import type { Mailbox, ReceivedMail } from './start-mailbox.ts'

/** The mailbox over HTTP: pages, and JSON for scripts and tests. */
export const mailboxApi: Api<Mailbox> = {
  routes: {
    'GET /': showPage,
    'GET /mails': listMails,
    'GET /mails/:id': showMail,
  },
}

/** Lists the mails, newest first. */
function showPage({ mails }: Mailbox): Answer {
  const rows = mails
    .toReversed()
    .map(({ id, at, recipients, subject }) => [
      ...[formatTime(at), escapeHtml(recipients.join(', '))],
      `<a href="/mails/${id}">${escapeHtml(subject || '(no subject)')}</a>`,
    ])
  const list =
    rows.length > 0
      ? renderTable(['Received', 'To', 'Subject'], rows)
      : '<p class="muted">No mails yet. Every e-mail of the service arrives here.</p>'
  const body = `<h1>Mailbox</h1>${list}`
  return answerPage({ title: 'Mailbox', isLive: true, body })
}

/** Lists mails, oldest first, filtered by the recipient `to`. */
function listMails({ mails }: Mailbox, { query }: Exchange): Answer {
  const to = query.get('to')?.toLowerCase()
  const found = mails.filter(
    ({ recipients }) => to === undefined || recipients.some(address => address.toLowerCase() === to),
  )
  return { body: { data: found.map(presentMail) } }
}

function showMail({ mails }: Mailbox, { params, request }: Exchange): Answer {
  const mail = mails.find(({ id }) => String(id) === params.id)
  if (!mail) throw refuseWith(404, 'Mail not found. The mailbox keeps the last 1,000 mails.')
  if (!request.headers.accept?.includes('text/html')) return { body: presentMail(mail) }
  const { at, from, recipients, subject, messageId = '', text, html } = mail
  const fields = [
    ['Received', formatTime(at)],
    ['From', from?.address ?? ''],
    ['To', recipients.join(', ')],
  ]
  const rows = [...fields, ['Message-ID', messageId]].map(cells => cells.map(escapeHtml))
  const body = `<p><a href="/">All mails</a></p><h1>${escapeHtml(subject)}</h1>${renderTable([], rows)}
    <h2>As text</h2><pre>${withLinks(escapeHtml(text))}</pre>
    <h2>As HTML</h2><iframe sandbox title="HTML" srcdoc="${escapeHtml(html)}"></iframe>`
  return answerPage({ title: subject, body })
}

function presentMail(mail: ReceivedMail) {
  return { ...mail, at: new Date(mail.at).toISOString() }
}

/** Turns the URLs of escaped text into links. */
function withLinks(escaped: string): string {
  return escaped.replace(
    /https?:\/\/[\w.:/#?=%-]*[\w/]/g,
    url => `<a href="${url}" rel="noreferrer">${url}</a>`,
  )
}
