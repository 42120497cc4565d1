import { isUuid } from '../../platform/checks.ts'
import {
  CheckoutSessionShape,
  PaymentEventShape,
  PaymentIntentShape,
  PaymentMethodShape,
  PaymentPagesShape,
  ReversalShape,
} from '../../schema/wire/payment-events.ts'
import { openCheck } from '../inference/parse-chat-request.ts'
import type {
  CardChange,
  ChargeChange,
  EventContent,
  PaymentEvent,
  PaymentName,
  PaymentPages,
  Reversal,
  SessionChange,
} from './payment-event.ts'
import { refusalOf } from './refusal.ts'

const checkEvent = openCheck(PaymentEventShape)
const checkSession = openCheck(CheckoutSessionShape)
const checkIntent = openCheck(PaymentIntentShape)
const checkMethod = openCheck(PaymentMethodShape)
const checkPages = openCheck(PaymentPagesShape)
const checkReversal = openCheck(ReversalShape)

/** Reads the object of an event. `previous` has the former values of its changed fields. */
type Reader = (object: unknown, previous: unknown) => EventContent | undefined

/** Readers by the types of events that we act on (docs/payments.md). */
const readers = new Map<string, Reader>([
  ['checkout.session.completed', object => session(object)],
  ['checkout.session.async_payment_succeeded', object => session(object)],
  ['checkout.session.async_payment_failed', object => session(object, 'failed')],
  ['checkout.session.expired', object => session(object, 'expired')],
  ['payment_intent.succeeded', object => charge(object, 'paid')],
  ['payment_intent.payment_failed', object => charge(object, 'failed')],
  ['payment_method.attached', object => cardChange(object, 'saved')],
  ['payment_method.updated', object => cardChange(object, 'saved')],
  ['payment_method.automatically_updated', object => cardChange(object, 'saved')],
  ['payment_method.detached', (object, previous) => cardChange(object, 'removed', previous)],
  ['charge.succeeded', pages],
  ['invoice.paid', pages],
  ['refund.created', refund],
  ['refund.updated', refund],
  ['refund.failed', refund],
  ['charge.dispute.funds_withdrawn', object => reversal(object, 'dispute', 'taken')],
  ['charge.dispute.funds_reinstated', object => reversal(object, 'dispute', 'returned')],
])

/** The types of events that we act on. */
export const paymentEventTypes: readonly string[] = [...readers.keys()]

/**
 * Parses an event whose origin is known: a signed delivery, or an answer of Stripe's API. Throws `invalid_request` or
 * `missing_parameter`, naming the field, if it has another shape than Stripe documents.
 */
export function parseEvent(event: unknown): PaymentEvent {
  const { id, type, created, data } = checkEvent(event)
  const content = readers.get(type)?.(data.object, data.previous_attributes)
  return { id, type, createdAt: new Date(created * 1000), content }
}

/** The object of an event, by the path under which errors name it. */
const at = 'data.object'

/** Returns undefined for a session that only saves a card: the event about the card follows. */
function session(object: unknown, ended?: 'failed' | 'expired'): SessionChange | undefined {
  const { id: sessionId, mode, metadata, ...shape }: CheckoutSessionShape = checkSession(object, at)
  if (mode === 'setup') return undefined
  return {
    kind: 'session',
    change: ended ?? (shape.payment_status === 'paid' ? 'paid' : 'unpaid'),
    sessionId,
    payment: paymentOf(metadata),
    paymentIntentId: idOf(shape.payment_intent),
    amountCents: shape.amount_total ?? undefined,
    taxCents: shape.total_details?.amount_tax,
    currency: shape.currency ?? undefined,
  }
}

/** Returns undefined for the charge of a Checkout session: the events of the session report it. */
function charge(object: unknown, change: ChargeChange['change']): ChargeChange | undefined {
  const { id: paymentIntentId, metadata, currency, ...shape }: PaymentIntentShape = checkIntent(object, at)
  const payment = paymentOf(metadata)
  if (!payment || metadata?.automatic !== 'true') return undefined
  const { code, decline_code: declineCode, advice_code: adviceCode } = shape.last_payment_error ?? {}
  const decline = {
    code: code ?? undefined,
    declineCode: declineCode ?? undefined,
    adviceCode: adviceCode ?? undefined,
  }
  return {
    ...{ kind: 'charge', change, payment, paymentIntentId, currency },
    amountCents: shape.amount_received ?? 0,
    refusal: change === 'failed' ? refusalOf(decline) : undefined,
  }
}

/** Returns undefined for payment methods other than cards, and for cards without a customer. */
function cardChange(
  object: unknown,
  change: CardChange['change'],
  previous?: unknown,
): CardChange | undefined {
  const { id, customer, created, card }: PaymentMethodShape = checkMethod(object, at)
  const former: unknown =
    typeof previous === 'object' && previous !== null && Reflect.get(previous, 'customer')
  const customerId = idOf(customer) ?? (typeof former === 'string' ? former : undefined)
  if (customerId === undefined || (change === 'saved' && !card)) return undefined
  return {
    ...{ kind: 'card', change, id, customerId, savedAt: new Date(created * 1000) },
    card: card
      ? { brand: card.brand, last4: card.last4, expiryMonth: card.exp_month, expiryYear: card.exp_year }
      : undefined,
  }
}

function pages(object: unknown): PaymentPages | undefined {
  const { metadata, receipt_url, hosted_invoice_url, invoice_pdf } = checkPages(object, at)
  const payment = paymentOf(metadata)
  if (!payment) return undefined
  return {
    kind: 'pages',
    payment,
    receiptUrl: receipt_url ?? undefined,
    invoiceUrl: hosted_invoice_url ?? undefined,
    invoicePdfUrl: invoice_pdf ?? undefined,
  }
}

/** A refund subtracts the money as soon as it is requested. A failed or cancelled refund returns it. */
function refund(object: unknown): Reversal | undefined {
  const { status } = checkReversal(object, at)
  const isReturned = status === 'failed' || status === 'canceled'
  return reversal(object, 'payment_refund', isReturned ? 'returned' : 'taken')
}

function reversal(
  object: unknown,
  method: Reversal['method'],
  state: Reversal['state'],
): Reversal | undefined {
  const { id, amount: amountCents, currency, payment_intent } = checkReversal(object, at)
  const paymentIntentId = idOf(payment_intent)
  if (paymentIntentId === undefined) return undefined
  return { kind: 'reversal', id, method, state, paymentIntentId, amountCents, currency }
}

function paymentOf(metadata: CheckoutSessionShape['metadata']): PaymentName | undefined {
  const { account_id: accountId, payment_id: id } = metadata ?? {}
  const isOurs = accountId !== undefined && isUuid(accountId) && id !== undefined && /^pay_\w+$/.test(id)
  return isOurs ? { accountId, id } : undefined
}

function idOf(reference: ReversalShape['payment_intent']): string | undefined {
  return typeof reference === 'string' ? reference : reference?.id
}
