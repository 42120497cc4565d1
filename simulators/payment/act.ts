import {
  type CheckoutSession,
  newId,
  nowSeconds,
  type Payment,
  type PaymentSimulator,
  type Refund,
  runLater,
} from './payment-simulator.ts'
import { presentDispute, presentRefund, presentSession } from './present.ts'
import { sendEvent } from './send-events.ts'

/** Pays a session by card. Does nothing if the session has ended. */
export function pay(state: PaymentSimulator, session: CheckoutSession): void {
  if (session.status !== 'open') return
  complete(state, session)
  session.paymentStatus = 'paid'
  sendEvent(state, 'checkout.session.completed', presentSession(state, session))
}

/** Pays a session by bank transfer: completes the session, then succeeds or fails after `delayMs`. */
export function payLater(state: PaymentSimulator, session: CheckoutSession, succeeds: boolean): void {
  if (session.status !== 'open') return
  complete(state, session)
  sendEvent(state, 'checkout.session.completed', presentSession(state, session))
  runLater(state, state.settings.delayMs, () => {
    if (succeeds) session.paymentStatus = 'paid'
    const type = succeeds ? 'async_payment_succeeded' : 'async_payment_failed'
    sendEvent(state, `checkout.session.${type}`, presentSession(state, session))
  })
}

/** Expires an unpaid session. */
export function expire(state: PaymentSimulator, session: CheckoutSession): void {
  if (session.status !== 'open') return
  session.status = 'expired'
  sendEvent(state, 'checkout.session.expired', presentSession(state, session))
}

/** Refunds an amount to the card. Returns undefined if the payment has less than that left. */
export function refund(state: PaymentSimulator, payment: Payment, amountCents: number): Refund | undefined {
  const refunds = payment.refunds.filter(({ status }) => status !== 'failed')
  const leftCents = payment.amountCents - refunds.reduce((sum, each) => sum + each.amountCents, 0)
  if (amountCents < 1 || amountCents > leftCents) return undefined
  const made: Refund = { id: newId('re'), amountCents, status: 'succeeded' }
  payment.refunds.push(made)
  sendRefund(state, 'refund.created', payment, made)
  return made
}

/** Fails the last successful refund, which returns the money to the account. */
export function failRefund(state: PaymentSimulator, payment: Payment): void {
  const last = payment.refunds.findLast(({ status }) => status === 'succeeded')
  if (!last) return
  last.status = 'failed'
  sendRefund(state, 'refund.failed', payment, last)
}

/** Disputes the whole payment. The bank withdraws the funds until the dispute is decided. */
export function dispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute) return
  payment.dispute = { id: newId('du'), status: 'needs_response' }
  sendEvent(state, 'charge.dispute.created', presentDispute(payment, nowSeconds(state)))
  sendEvent(state, 'charge.dispute.funds_withdrawn', presentDispute(payment, nowSeconds(state)))
}

/** Decides a dispute in favour of the seller. */
export function winDispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute?.status !== 'needs_response') return
  payment.dispute.status = 'won'
  sendEvent(state, 'charge.dispute.funds_reinstated', presentDispute(payment, nowSeconds(state)))
}

function complete(state: PaymentSimulator, session: CheckoutSession): void {
  const { amountCents, currency, metadata } = session
  const payment: Payment = {
    id: newId('pi'),
    amountCents,
    currency,
    metadata,
    refunds: [],
    dispute: undefined,
  }
  state.payments.set(payment.id, payment)
  session.status = 'complete'
  session.paymentIntentId = payment.id
}

function sendRefund(state: PaymentSimulator, type: string, payment: Payment, made: Refund): void {
  sendEvent(state, type, presentRefund(payment, made, nowSeconds(state)))
}
