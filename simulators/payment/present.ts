import type { JsonRecord } from '../server/json.ts'
import type { CheckoutSession, Payment, PaymentSimulator, Refund } from './payment-simulator.ts'

/** Presents a Checkout session in Stripe's format. */
export function presentSession(state: PaymentSimulator, session: CheckoutSession): JsonRecord {
  return {
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: session.amountCents,
    amount_total: session.amountCents,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    created: session.createdSeconds,
    currency: session.currency,
    expires_at: session.createdSeconds + 86_400,
    livemode: false,
    metadata: session.metadata,
    mode: 'payment',
    payment_intent: session.paymentIntentId,
    payment_status: session.paymentStatus,
    status: session.status,
    success_url: session.successUrl,
    url: session.status === 'open' ? `${state.url}/c/pay/${session.id}` : null,
  }
}

/** Presents a refund in Stripe's format. */
export function presentRefund(payment: Payment, refund: Refund, createdSeconds: number): JsonRecord {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amountCents,
    charge: chargeOf(payment),
    created: createdSeconds,
    currency: payment.currency,
    metadata: {},
    payment_intent: payment.id,
    reason: null,
    status: refund.status,
  }
}

/** Presents the dispute of a payment in Stripe's format. It covers the whole amount. */
export function presentDispute(payment: Payment, createdSeconds: number): JsonRecord {
  return {
    id: payment.dispute?.id ?? '',
    object: 'dispute',
    amount: payment.amountCents,
    charge: chargeOf(payment),
    created: createdSeconds,
    currency: payment.currency,
    livemode: false,
    metadata: {},
    payment_intent: payment.id,
    reason: 'fraudulent',
    status: payment.dispute?.status ?? '',
  }
}

function chargeOf({ id }: Payment): string {
  return id.replace('pi_', 'ch_')
}
