import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { type Api, type Exchange, refuseWith } from '../server/exchange.ts'
import { sendPage } from '../server/page.ts'
import { sendWhole } from '../server/send.ts'
import { dispute, expire, failRefund, pay, payLater, refund, winDispute } from './act.ts'
import type { CheckoutSession, Payment, PaymentSimulator } from './payment-simulator.ts'
import { deliver } from './send-events.ts'

/** The Checkout page, and the page of sessions and events. */
export const pages: Api<PaymentSimulator> = {
  routes: [
    { method: 'GET', path: '/', handle: showPayments },
    { method: 'GET', path: /^\/c\/pay\/(?<id>\w+)$/, handle: showCheckout },
    { method: 'POST', path: /^\/c\/pay\/(?<id>\w+)\/(?<action>[a-z-]+)$/, handle: checkOut },
    { method: 'POST', path: /^\/payments\/(?<id>\w+)\/(?<action>[a-z-]+)$/, handle: changePayment },
    { method: 'POST', path: /^\/events\/(?<id>\w+)\/send$/, handle: resendEvent },
  ],
}

function showCheckout(state: PaymentSimulator, exchange: Exchange): Promise<void> {
  const session = sessionOf(state, exchange)
  return sendPage(exchange, { title: `Pay ${amountOf(session)}`, body: checkoutBody(session) })
}

function checkoutBody(session: CheckoutSession, message = ''): string {
  const { id, productName, object } = session
  const { status } = object
  const heading = `<h1>${escapeHtml(productName)}: ${amountOf(session)}</h1>`
  if (status !== 'open') return `${heading}<p>This session is ${status}.</p>`
  const buttons = Object.entries(checkoutActions).map(([name, label]) =>
    button(`/c/pay/${id}/${name}`, label),
  )
  const alert = message && `<p role="alert"><strong>${message}</strong></p>`
  return [
    heading,
    '<p>This is a simulator of the card processor. No money moves.</p>',
    alert,
    ...buttons,
  ].join('\n')
}

const checkoutActions = {
  pay: 'Pay',
  decline: 'Pay with a card that is declined',
  'pay-later': 'Pay by bank transfer, which succeeds later',
  'fail-later': 'Pay by bank transfer, which fails later',
  cancel: 'Go back without paying',
  expire: 'Let the session expire',
}

async function checkOut(state: PaymentSimulator, exchange: Exchange): Promise<void> {
  const session = sessionOf(state, exchange)
  const { success_url, cancel_url } = session.object
  const { action } = exchange.params
  if (action === 'decline') {
    const body = checkoutBody(session, 'Your card was declined.')
    return sendPage(exchange, { status: 402, title: 'Declined', body })
  }
  if (action === 'cancel') return redirect(exchange, cancel_url ?? '/')
  if (action === 'pay') pay(state, session)
  else if (action === 'pay-later' || action === 'fail-later') payLater(state, session, action === 'pay-later')
  else if (action === 'expire') expire(state, session)
  else throw refuseWith(404, 'Action not found.')
  return redirect(exchange, action === 'expire' ? `/c/pay/${session.id}` : success_url)
}

function changePayment(state: PaymentSimulator, exchange: Exchange): Promise<void> {
  const payment = state.payments.get(exchange.params.id ?? '')
  if (!payment) throw refuseWith(404, 'Payment not found.')
  const actions = new Map<string, () => void>([
    ['refund', () => void refund(state, payment, payment.amountCents)],
    ['refund-half', () => void refund(state, payment, Math.floor(payment.amountCents / 2))],
    ['fail-refund', () => failRefund(state, payment)],
    ['dispute', () => dispute(state, payment)],
    ['win-dispute', () => winDispute(state, payment)],
  ])
  const act = actions.get(exchange.params.action ?? '')
  if (!act) throw refuseWith(404, 'Action not found.')
  act()
  return redirect(exchange, '/')
}

async function resendEvent(state: PaymentSimulator, exchange: Exchange): Promise<void> {
  const event = state.events.get(exchange.params.id ?? '')
  if (!event) throw refuseWith(404, 'Event not found.')
  await deliver(state, event, 1)
  return redirect(exchange, '/')
}

/** Maximum number of sessions and of events on the page. */
const maxRows = 50

function showPayments(state: PaymentSimulator, exchange: Exchange): Promise<void> {
  const newest = <Item>(items: Iterable<Item>) => [...items].slice(-maxRows).reverse()
  const sessions = newest(state.sessions.values()).map(session => sessionRow(state, session))
  const events = newest(state.events.values()).map(
    ({ id, type, statuses }) =>
      `<li>${type} <code>${id}</code>: ${statuses.join(', ') || 'pending'} ${button(`/events/${id}/send`, 'Resend')}`,
  )
  const body = [
    '<h1>Payment simulator</h1>',
    `<p>The simulator stands in for Stripe. No money moves. Events are sent to <code>${escapeHtml(state.webhook.url)}</code>.</p>`,
    `<h2>Sessions</h2><ul>${sessions.join('')}</ul>`,
    `<h2>Events</h2><ul>${events.join('')}</ul>`,
  ].join('\n')
  return sendPage(exchange, { title: 'Payment simulator', body })
}

function sessionRow({ payments }: PaymentSimulator, session: CheckoutSession): string {
  const { status, payment_status: paymentStatus, payment_intent: paymentId } = session.object
  const payment = payments.get(paymentId ?? '')
  const link = status === 'open' ? `<a href="/c/pay/${session.id}">pay</a>` : ''
  return `<li>${amountOf(session)} ${status}, ${paymentStatus} ${link} ${payment ? paymentButtons(payment) : ''}`
}

function paymentButtons({ id, refunds, dispute: opened }: Payment): string {
  const at = `/payments/${id}`
  return [
    button(`${at}/refund`, 'Refund'),
    button(`${at}/refund-half`, 'Refund half'),
    refunds.length > 0 ? button(`${at}/fail-refund`, 'Fail the refund') : '',
    opened ? '' : button(`${at}/dispute`, 'Dispute'),
    opened?.status === 'needs_response' ? button(`${at}/win-dispute`, 'Win the dispute') : '',
  ].join(' ')
}

function sessionOf(state: PaymentSimulator, { params }: Exchange): CheckoutSession {
  const session = state.sessions.get(params.id ?? '')
  if (!session) throw refuseWith(404, 'Session not found. The simulator keeps sessions until it restarts.')
  return session
}

function amountOf({ amountCents, object }: CheckoutSession): string {
  return `${(amountCents / 100).toFixed(2)} ${escapeHtml(object.currency.toUpperCase())}`
}

function button(action: string, label: string): string {
  return `<form method="post" action="${action}"><button>${label}</button></form>`
}

function redirect(exchange: Exchange, location: string): Promise<void> {
  return sendWhole(exchange, { status: 303, headers: { location, 'content-type': 'text/plain' }, body: '' })
}
