import type { Refusal } from './refusal.ts'

/** A Stripe event, reduced to the fields that we use. */
export interface PaymentEvent {
  /** Stripe's ID, the same in every delivery. */
  id: string
  type: string
  /** When Stripe created the event, to the second. Events can arrive in another order. */
  createdAt: Date
  /** Undefined for types that we ignore. */
  content: EventContent | undefined
}

export type EventContent = SessionChange | ChargeChange | Reversal | CardChange | PaymentPages

/** The payment that an object of Stripe belongs to, from its metadata. */
export interface PaymentName {
  accountId: string
  id: string
}

/** A change of a Checkout session. */
export interface SessionChange {
  kind: 'session'
  change: 'paid' | 'unpaid' | 'failed' | 'expired'
  sessionId: string
  /** The payment of the session; undefined if Rubicon did not create the session. */
  payment: PaymentName | undefined
  paymentIntentId: string | undefined
  /** The paid amount, with tax. */
  amountCents: number | undefined
  taxCents: number | undefined
  currency: string | undefined
}

/** The outcome of the charge of an automatic top-up. */
export interface ChargeChange {
  kind: 'charge'
  change: 'paid' | 'failed'
  payment: PaymentName
  paymentIntentId: string
  /** The received amount, with tax. */
  amountCents: number
  currency: string
  /** The reason of a failure. */
  refusal: Refusal | undefined
}

/** A refund or dispute of a payment, or its return. */
export interface Reversal {
  kind: 'reversal'
  /** Stripe's ID of the refund or dispute. */
  id: string
  method: 'payment_refund' | 'dispute'
  /** `returned`: the refund failed, or the dispute was won. */
  state: 'taken' | 'returned'
  paymentIntentId: string
  amountCents: number
  currency: string
}

/** A card that was saved for a customer, changed, or removed. */
export interface CardChange {
  kind: 'card'
  change: 'saved' | 'removed'
  id: string
  customerId: string
  card: { brand: string; last4: string; expiryMonth: number; expiryYear: number } | undefined
  savedAt: Date
}

/** Pages of Stripe about a payment. */
export interface PaymentPages {
  kind: 'pages'
  payment: PaymentName
  receiptUrl: string | undefined
  invoiceUrl: string | undefined
  invoicePdfUrl: string | undefined
}
