import {
  type CheckoutSession,
  later,
  newId,
  nowSeconds,
  type Payment,
  type PaymentSimulator,
  type Refund,
} from './payment-simulator.ts'
import { presentDispute, presentRefund, presentSession } from './present.ts'
import { sendEvent } from './send-events.ts'

/** Pays a session by card. Does nothing where it is over. */
export function pay(state: PaymentSimulator, session: CheckoutSession): void {
  if (session.status !== 'open') return
  complete(state, session)
  session.paymentStatus = 'paid'
  sendEvent(state, 'checkout.session.completed', presentSession(state, session))
}

/** Pays a session by bank: the session is complete, and the money comes, or does not come, later. */
export function payLater(state: PaymentSimulator, session: CheckoutSession, comes: boolean): void {
  if (session.status !== 'open') return
  complete(state, session)
  sendEvent(state, 'checkout.session.completed', presentSession(state, session))
  later(state, state.settings.delayMs, () => {
    if (comes) session.paymentStatus = 'paid'
    const type = comes ? 'async_payment_succeeded' : 'async_payment_failed'
    sendEvent(state, `checkout.session.${type}`, presentSession(state, session))
  })
}

/** Ends a session that nobody paid. */
export function expire(state: PaymentSimulator, session: CheckoutSession): void {
  if (session.status !== 'open') return
  session.status = 'expired'
  sendEvent(state, 'checkout.session.expired', presentSession(state, session))
}

/** Gives money back to the card. Undefined where that is more than is left. */
export function refund(state: PaymentSimulator, payment: Payment, amountCents: number): Refund | undefined {
  const given = payment.refunds.filter(({ status }) => status !== 'failed')
  const leftCents = payment.amountCents - given.reduce((sum, each) => sum + each.amountCents, 0)
  if (amountCents < 1 || amountCents > leftCents) return undefined
  const made: Refund = { id: newId('re'), amountCents, status: 'succeeded' }
  payment.refunds.push(made)
  sendRefund(state, 'refund.created', payment, made)
  return made
}

/** The bank takes the last refund no more: the money is back. */
export function failRefund(state: PaymentSimulator, payment: Payment): void {
  const last = payment.refunds.findLast(({ status }) => status === 'succeeded')
  if (!last) return
  last.status = 'failed'
  sendRefund(state, 'refund.failed', payment, last)
}

/** The owner of the card wants the whole amount back, and has it until the dispute is decided. */
export function dispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute) return
  payment.dispute = { id: newId('du'), status: 'needs_response' }
  sendEvent(state, 'charge.dispute.created', presentDispute(payment, nowSeconds(state)))
  sendEvent(state, 'charge.dispute.funds_withdrawn', presentDispute(payment, nowSeconds(state)))
}

/** The dispute is decided for the seller. */
export function winDispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute?.status !== 'needs_response') return
  payment.dispute.status = 'won'
  sendEvent(state, 'charge.dispute.funds_reinstated', presentDispute(payment, nowSeconds(state)))
}

/** The bank takes the dispute up again, and decides it for the owner of the card. */
export function loseDispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute?.status !== 'won') return
  payment.dispute.status = 'lost'
  sendEvent(state, 'charge.dispute.funds_withdrawn', presentDispute(payment, nowSeconds(state)))
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
