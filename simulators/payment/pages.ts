import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { type Answer, type Api, type Exchange, refuseWith } from '../server/exchange.ts'
import { answerPage } from '../server/page.ts'
import { dispute, expire, failRefund, pay, payLater, refund, winDispute } from './act.ts'
import { cards } from './cards.ts'
import type { CheckoutSession, Payment, PaymentSimulator } from './payment-simulator.ts'
import { deliver } from './send-events.ts'

/** The Checkout page, and the page of sessions and events. */
export const pages: Api<PaymentSimulator> = {
  routes: {
    'GET /': showPayments,
    'GET /c/pay/:id': (state, { params }) => showCheckout(findSession(state, params)),
    'POST /c/pay/:id/:action': checkOut,
    'POST /payments/:id/:action': changePayment,
    'POST /events/:id/send': resendEvent,
    'GET /receipts/:id': showDocument,
    'GET /invoices/:id': showDocument,
    'GET /invoices/:id/pdf': showDocument,
    'GET /p/session/:id': showDocument,
  },
}

type Params = Exchange['params']

function showCheckout(session: CheckoutSession, alert = ''): Answer {
  const { id, productName, object } = session
  const title = `${escapeHtml(productName)}: ${amountOf(session)}`
  const actions = object.mode === 'setup' ? setupActions : checkoutActions
  const buttons = Object.entries(actions).map(([name, label], index) =>
    button(`/c/pay/${id}/${name}`, label, index === 0 ? 'primary' : undefined),
  )
  const body =
    object.status === 'open'
      ? `<p class="muted">The simulator stands in for the card processor. No money moves.</p>${alert}
        <div class="choices">${buttons.join('')}</div>`
      : `<p>This session is ${object.status}. You can close this page.</p>`
  return answerPage({ title: `Pay ${amountOf(session)}`, body: `<h1>${title}</h1>\n${body}` })
}

const checkoutActions = {
  pay: 'Pay',
  decline: 'Pay with a card that is declined',
  'pay-later': 'Pay by bank transfer, which succeeds later',
  'fail-later': 'Pay by bank transfer, which fails later',
  cancel: 'Go back without paying',
  expire: 'Let the session expire',
}

/** The buttons of a session that saves a card, with the last four digits of the card. */
const setupActions = {
  ...Object.fromEntries([...cards].map(([last4, { label }]) => [`save-${last4}`, `Save ${label}`])),
  cancel: 'Go back without saving',
}

/** Stands in for a receipt, an invoice or the billing portal. */
function showDocument(_: PaymentSimulator, { path }: Exchange): Answer {
  const title = 'Payment simulator'
  return answerPage({ title, body: `<p>Stripe would show <code>${escapeHtml(path)}</code> here.</p>` })
}

function checkOut(state: PaymentSimulator, { params }: Exchange): Answer {
  const session = findSession(state, params)
  const { success_url, cancel_url } = session.object
  const { action } = params
  if (action === 'decline')
    return {
      ...showCheckout(session, '<p role="alert">Your card was declined.</p>'),
      status: 402,
    }
  if (action === 'cancel') return redirect(cancel_url ?? '/')
  if (action === 'pay') pay(state, session)
  else if (action?.startsWith('save-')) pay(state, session, action.slice(5))
  else if (action === 'pay-later' || action === 'fail-later') payLater(state, session, action === 'pay-later')
  else if (action === 'expire') expire(state, session)
  else throw refuseWith(404, 'Action not found.')
  return redirect(action === 'expire' ? `/c/pay/${session.id}` : success_url)
}

/** A button of a payment. */
interface PaymentAction {
  readonly label: string
  act(state: PaymentSimulator, payment: Payment): unknown
  /** Whether the button is shown. */
  isPossible?(payment: Payment): boolean
}

const paymentActions = new Map<string, PaymentAction>([
  ['refund', { label: 'Refund', act: (state, payment) => refund(state, payment, payment.amountCents) }],
  [
    'refund-half',
    {
      label: 'Refund half',
      act: (state, payment) => refund(state, payment, Math.floor(payment.amountCents / 2)),
    },
  ],
  [
    'fail-refund',
    { label: 'Fail the refund', act: failRefund, isPossible: ({ refunds }) => refunds.length > 0 },
  ],
  ['dispute', { label: 'Dispute', act: dispute, isPossible: payment => !payment.dispute }],
  [
    'win-dispute',
    {
      label: 'Win the dispute',
      act: winDispute,
      isPossible: payment => payment.dispute?.status === 'needs_response',
    },
  ],
])

function changePayment(state: PaymentSimulator, { params }: Exchange): Answer {
  const payment = state.payments.get(params.id ?? '')
  if (!payment) throw refuseWith(404, 'Payment not found.')
  const action = paymentActions.get(params.action ?? '')
  if (!action) throw refuseWith(404, 'Action not found.')
  action.act(state, payment)
  return redirect('/')
}

async function resendEvent(state: PaymentSimulator, { params }: Exchange): Promise<Answer> {
  const event = state.events.get(params.id ?? '')
  if (!event) throw refuseWith(404, 'Event not found.')
  await deliver(state, event)
  return redirect('/')
}

/** Maximum number of sessions and of events on the page. */
const maxRows = 50

function showPayments(state: PaymentSimulator): Answer {
  const newest = <Item>(items: Iterable<Item>) => [...items].slice(-maxRows).reverse()
  const sessions = newest(state.sessions.values()).map(session => sessionRow(state, session))
  const events = newest(state.events.values()).map(
    ({ id, type, statuses }) =>
      `<li>${type} <code class="muted">${id}</code> ${statuses.join(', ') || 'pending'} ${button(`/events/${id}/send`, 'Resend')}`,
  )
  const body = [
    '<h1>Payment simulator</h1>',
    `<p class="muted">The simulator stands in for Stripe. No money moves. Events are sent to <code>${escapeHtml(state.webhook.url)}</code>.</p>`,
    `<h2>Sessions</h2>${listOf(sessions, 'No sessions yet. A top-up opens one.')}`,
    `<h2>Events</h2>${listOf(events, 'No events yet. A payment sends some.')}`,
  ].join('\n')
  return answerPage({ title: 'Payment simulator', isLive: true, body })
}

function listOf(items: readonly string[], empty: string): string {
  return items.length > 0 ? `<ul>${items.join('')}</ul>` : `<p class="muted">${empty}</p>`
}

function sessionRow({ payments }: PaymentSimulator, session: CheckoutSession): string {
  const { status, payment_status: paymentStatus, payment_intent: paymentId } = session.object
  const payment = payments.get(paymentId ?? '')
  const link = status === 'open' ? `<a href="/c/pay/${session.id}">pay</a>` : ''
  const buttons = [...paymentActions].map(([name, { label, isPossible }]) =>
    payment && (isPossible?.(payment) ?? true) ? button(`/payments/${payment.id}/${name}`, label) : '',
  )
  const state = `<span class="badge ${paymentStatus === 'paid' ? 'ok' : ''}">${status}, ${paymentStatus}</span>`
  return `<li><b>${amountOf(session)}</b> ${state} ${link} ${buttons.join(' ')}</li>`
}

function findSession(state: PaymentSimulator, { id = '' }: Params): CheckoutSession {
  const session = state.sessions.get(id)
  if (!session) throw refuseWith(404, 'Session not found. The simulator keeps sessions until it restarts.')
  return session
}

function amountOf({ amountCents, object }: CheckoutSession): string {
  return `${(amountCents / 100).toFixed(2)} ${escapeHtml(object.currency.toUpperCase())}`
}

function button(action: string, label: string, kind = ''): string {
  return `<form method="post" action="${action}"><button class="${kind}">${label}</button></form>`
}

function redirect(location: string): Answer {
  return { status: 303, headers: { location } }
}
