import { isUuid } from '../../platform/checks.ts'
import { CheckoutSessionShape, PaymentEventShape, ReversalShape } from '../../schema/wire/payment-events.ts'
import { openCheck } from '../inference/parse-chat-request.ts'

/** A Stripe event, reduced to the fields that we use. */
export interface PaymentEvent {
  /** Stripe's ID, the same in every delivery. */
  id: string
  type: string
  /** When Stripe created the event, to the second. Events can arrive in another order. */
  createdAt: Date
  /** Undefined for types that we ignore. */
  content: SessionChange | Reversal | undefined
}

/** A change of a Checkout session. */
export interface SessionChange {
  kind: 'session'
  change: 'paid' | 'unpaid' | 'failed' | 'expired'
  sessionId: string
  /** The payment of the session; undefined if Rubicon did not create the session. */
  payment: { accountId: string; id: string } | undefined
  paymentIntentId: string | undefined
  amountCents: number | undefined
  currency: string | undefined
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

const checkEvent = openCheck(PaymentEventShape)
const checkSession = openCheck(CheckoutSessionShape)
const checkReversal = openCheck(ReversalShape)

/** Readers of an event's object, by the types of events that we act on (docs/payments.md). */
const readers = new Map<string, (object: unknown) => PaymentEvent['content']>([
  ['checkout.session.completed', object => session(object)],
  ['checkout.session.async_payment_succeeded', object => session(object)],
  ['checkout.session.async_payment_failed', object => session(object, 'failed')],
  ['checkout.session.expired', object => session(object, 'expired')],
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
  return { id, type, createdAt: new Date(created * 1000), content: readers.get(type)?.(data.object) }
}

/** The object of an event, by the path under which errors name it. */
const at = 'data.object'

function session(object: unknown, ended?: 'failed' | 'expired'): SessionChange {
  const { id: sessionId, metadata, ...shape }: CheckoutSessionShape = checkSession(object, at)
  const { account_id: accountId, payment_id: id } = metadata ?? {}
  const isOurs = accountId !== undefined && isUuid(accountId) && id !== undefined && /^pay_\w+$/.test(id)
  return {
    kind: 'session',
    change: ended ?? (shape.payment_status === 'paid' ? 'paid' : 'unpaid'),
    sessionId,
    payment: isOurs ? { accountId, id } : undefined,
    paymentIntentId: idOf(shape.payment_intent),
    amountCents: shape.amount_total ?? undefined,
    currency: shape.currency ?? undefined,
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

function idOf(reference: ReversalShape['payment_intent']): string | undefined {
  return typeof reference === 'string' ? reference : reference?.id
}
