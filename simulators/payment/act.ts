import { enterBilling } from './customers.ts'
import { invoiceSession } from './invoices.ts'
import {
  type CheckoutSession,
  newId,
  nowSeconds,
  type Payment,
  type PaymentSimulator,
  wait,
} from './payment-simulator.ts'
import { sendEvent } from './send-events.ts'
import { confirmPayment, newMethod, openPayment } from './take-payment.ts'

/** Pays a session by card, or saves the card in a session without payment. Does nothing if the session has ended. */
export function pay(state: PaymentSimulator, session: CheckoutSession, last4 = '4242'): void {
  const { object } = session
  if (object.status !== 'open') return
  if (object.mode === 'payment') object.payment_status = 'paid'
  complete(state, session, last4)
}

/** Pays a session by bank transfer: completes the session, then succeeds or fails after `delayMs`. */
export function payLater(state: PaymentSimulator, session: CheckoutSession, succeeds: boolean): void {
  const { object } = session
  if (object.status !== 'open') return
  complete(state, session)
  const settle = () => {
    if (succeeds) object.payment_status = 'paid'
    sendEvent(state, `checkout.session.async_payment_${succeeds ? 'succeeded' : 'failed'}`, object)
  }
  wait(state, state.settings.delayMs).then(settle, () => {}) // nothing happens after the simulator closes
}

export function expire(state: PaymentSimulator, { object }: CheckoutSession): void {
  if (object.status !== 'open') return
  Object.assign(object, { status: 'expired', url: null })
  sendEvent(state, 'checkout.session.expired', object)
}

function complete(state: PaymentSimulator, session: CheckoutSession, last4 = '4242'): void {
  const { object, amountCents, savesMethod, paymentMetadata: metadata } = session
  const { currency, customer } = object
  const origin = new URL(object.url ?? '').origin
  if (session.collectsBilling && customer !== null) enterBilling(state, customer)
  const method = newMethod(state, { last4, customer: savesMethod ? customer : null })
  if (object.mode === 'payment') {
    const made = openPayment(state, { amountCents, currency, customer, method, metadata })
    confirmPayment(state, made, { method, origin })
    object.payment_intent = made.id
    if (session.hasInvoice) object.invoice = invoiceSession(state, session, { origin, payment: made })
  }
  Object.assign(object, { status: 'complete', url: null })
  sendEvent(state, 'checkout.session.completed', object)
}

/** Refunds an amount to the card. Returns undefined if the payment has less than that left. */
export function refund(
  state: PaymentSimulator,
  payment: Payment,
  amountCents: number,
): Payment['refunds'][number] | undefined {
  const refunds = payment.refunds.filter(({ status }) => status !== 'failed')
  const leftCents = payment.amountCents - refunds.reduce((sum, { amount }) => sum + amount, 0)
  if (amountCents < 1 || amountCents > leftCents) return undefined
  const fields = fieldsOf(state, payment)
  const made = { id: newId('re'), object: 'refund', ...fields, amount: amountCents, reason: null }
  const succeeded = { ...made, status: 'succeeded' as const }
  payment.refunds.push(succeeded)
  sendEvent(state, 'refund.created', succeeded)
  return succeeded
}

/** Fails the last successful refund, which returns the money to the account. */
export function failRefund(state: PaymentSimulator, payment: Payment): void {
  const last = payment.refunds.findLast(({ status }) => status === 'succeeded')
  if (!last) return
  last.status = 'failed'
  sendEvent(state, 'refund.failed', last)
}

/** Disputes the whole payment. The bank withdraws the funds until the dispute is decided. */
export function dispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute) return
  const fields = { ...fieldsOf(state, payment), livemode: false, reason: 'fraudulent' }
  payment.dispute = { id: newId('du'), object: 'dispute', ...fields, status: 'needs_response' }
  sendEvent(state, 'charge.dispute.created', payment.dispute)
  sendEvent(state, 'charge.dispute.funds_withdrawn', payment.dispute)
}

/** Decides a dispute in favour of the seller. */
export function winDispute(state: PaymentSimulator, payment: Payment): void {
  if (payment.dispute?.status !== 'needs_response') return
  payment.dispute.status = 'won'
  sendEvent(state, 'charge.dispute.funds_reinstated', payment.dispute)
}

function fieldsOf(state: PaymentSimulator, { id, amountCents, currency }: Payment) {
  return {
    amount: amountCents,
    charge: id.replace('pi_', 'ch_'),
    created: nowSeconds(state),
    currency,
    metadata: {},
    payment_intent: id,
  }
}
