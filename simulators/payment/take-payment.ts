import type { JsonRecord } from '../server/json.ts'
import { cardObject } from './cards.ts'
import {
  newId,
  nowSeconds,
  type Payment,
  type PaymentMethod,
  type PaymentSimulator,
} from './payment-simulator.ts'
import { sendEvent } from './send-events.ts'

/** A payment of an amount, with the fields of its payment intent. */
export interface NewPayment {
  amountCents: number
  currency: string
  customer: string | null
  method: PaymentMethod
  metadata: JsonRecord
}

/** Creates a payment that is not confirmed yet. */
export function openPayment(state: PaymentSimulator, made: NewPayment): Payment {
  const { amountCents, currency, customer, method, metadata } = made
  const id = newId('pi')
  const intent: Payment['intent'] = {
    ...{ id, object: 'payment_intent', amount: amountCents, amount_received: 0 },
    ...{ canceled_at: null, cancellation_reason: null, capture_method: 'automatic_async' },
    ...{ client_secret: `${id}_secret_x`, confirmation_method: 'automatic' },
    ...{ created: nowSeconds(state), currency, customer, latest_charge: null, livemode: false, metadata },
    ...{ last_payment_error: null, payment_method: method.id, payment_method_types: ['card'] },
    status: 'requires_confirmation',
  }
  const payment: Payment = {
    id,
    amountCents,
    currency,
    intent,
    refunds: [],
    dispute: undefined,
    isInvoiced: false,
  }
  state.payments.set(id, payment)
  return payment
}

/**
 * Confirms a payment by card: takes or declines it, and sends the events. `origin` is the URL of the simulator; `error` is
 * the error, in Stripe's format, with which the charge fails.
 */
export function confirmPayment(
  state: PaymentSimulator,
  { intent, amountCents, currency }: Payment,
  { method, origin, error }: { method: PaymentMethod; origin: string; error?: JsonRecord | undefined },
): void {
  const chargeId = newId('ch')
  const { id, customer, metadata } = intent
  Object.assign(intent, {
    ...{ amount_received: error ? 0 : amountCents, latest_charge: chargeId },
    last_payment_error: error ? { type: 'card_error', charge: chargeId, ...error } : null,
    payment_method: error ? null : method.id,
    status: error ? 'requires_payment_method' : 'succeeded',
  })
  const charge = {
    ...{ id: chargeId, object: 'charge', amount: amountCents, amount_captured: error ? 0 : amountCents },
    ...{ created: nowSeconds(state), currency, customer, livemode: false, metadata, paid: !error },
    ...{ payment_intent: id, payment_method: method.id, status: error ? 'failed' : 'succeeded' },
    receipt_url: error ? null : `${origin}/receipts/${chargeId}`,
  }
  sendEvent(state, error ? 'charge.failed' : 'charge.succeeded', charge)
  sendEvent(state, error ? 'payment_intent.payment_failed' : 'payment_intent.succeeded', intent)
}

/** Creates a card. It belongs to a customer if it is saved. */
export function newMethod(
  state: PaymentSimulator,
  { last4, customer }: { last4: string; customer: string | null },
): PaymentMethod {
  const method = {
    ...{ id: newId('pm'), object: 'payment_method', billing_details: {}, card: cardObject(last4) },
    ...{ created: nowSeconds(state), customer, livemode: false, metadata: {}, type: 'card' },
  }
  state.methods.set(method.id, method)
  if (customer !== null) sendEvent(state, 'payment_method.attached', { ...method })
  return method
}
