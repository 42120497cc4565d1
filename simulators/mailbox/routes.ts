import { type Api, type Exchange, Refusal } from '../server/exchange.ts'
import { liveScriptSource } from '../server/page.ts'
import { sendWhole } from '../server/send.ts'
import type { Mailbox, ReceivedMail } from './mailbox.ts'
import { mailPage, mailsPage } from './pages.ts'

/** The mailbox over HTTP: pages, and JSON for scripts and tests. */
export const mailboxApi: Api<Mailbox> = {
  prefix: '/',
  isRecorded: false,
  presentHeaders: () => ({}),
  routes: [
    { method: 'GET', path: '/', handle: showPage },
    { method: 'GET', path: '/mails', handle: listMails },
    { method: 'DELETE', path: '/mails', handle: deleteMails },
    { method: 'GET', path: /^\/mails\/(?<id>\d+)$/, handle: showMail },
  ],
  refuseUnknown: (method, path) => refuse(404, `Not found: ${method} ${path}. The README lists the routes.`),
  refuseTooLarge: () => refuse(413, 'The body exceeds 100 MB.'),
}

function showPage({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  return sendWhole(exchange, { headers: pageHeaders, body: mailsPage(mails.toReversed()) })
}

/** Lists mails, oldest first, filtered by the recipient `to` and by IDs above `since`. */
function listMails({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  const to = exchange.query.get('to')?.toLowerCase()
  const since = Number(exchange.query.get('since') ?? 0)
  const found = mails.filter(
    ({ id, recipients }) =>
      id > since && (to === undefined || recipients.some(address => address.toLowerCase() === to)),
  )
  return sendWhole(exchange, { body: { data: found.map(presentMail) } })
}

function deleteMails({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  mails.length = 0
  return sendWhole(exchange, { status: 204, body: '' })
}

function showMail({ mails }: Mailbox, exchange: Exchange): Promise<void> {
  const mail = mails.find(({ id }) => String(id) === exchange.params.id)
  if (!mail) throw refuse(404, 'Mail not found. The mailbox keeps the last 1,000 mails.')
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

function refuse(status: number, message: string): Refusal {
  return new Refusal({ status, body: { error: message } })
}
