import type Stripe from 'stripe'
import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { Payments } from './open-payments.ts'

/** An event of Stripe's, as far as it concerns us. */
export interface PaymentEvent {
  /** Stripe's id: the same in every delivery. */
  id: string
  type: string
  /** When Stripe made it, to the second: whatever order events come in, this is theirs. */
  createdAt: Date
  /** Undefined for types that we do nothing about. */
  content: SessionChange | Reversal | undefined
}

/** What became of a Checkout session. */
export interface SessionChange {
  kind: 'session'
  change: 'paid' | 'unpaid' | 'failed' | 'expired'
  sessionId: string
  /** Which payment the session was made for; undefined for sessions that are not ours. */
  payment: { accountId: string; id: string } | undefined
  paymentIntentId: string | undefined
  amountCents: number | undefined
  currency: string | undefined
}

/** Money of a payment that went back to the card, or came again from there. */
export interface Reversal {
  kind: 'reversal'
  /** Stripe's id of the refund or dispute. */
  id: string
  method: 'payment_refund' | 'dispute'
  /** `returned`: the refund failed, or the dispute was won. */
  state: 'taken' | 'returned'
  paymentIntentId: string
  amountCents: number
  currency: string
}

/** How old a delivery may be, in seconds; each try of Stripe's is signed anew. */
const toleranceSeconds = 300

/**
 * Reads an event from the body as it came and its signature. Throws `webhook_refused` where it is not signed
 * with our secret or is too old, and `top_up_closed` where no card processor is set up.
 */
export async function readEvent(
  { config, clock, payments }: Pick<Context, 'config' | 'clock'> & { payments: Payments },
  { body, signature }: { body: Buffer; signature: string },
): Promise<PaymentEvent> {
  const client = await payments.client()
  if (config.stripeWebhookSecret === '') throw new Problem('webhook_refused')
  const { webhooks } = client
  try {
    const secret = config.stripeWebhookSecret
    const event = webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, clock.now())
    const createdAt = new Date(event.created * 1000)
    return { id: event.id, type: event.type, createdAt, content: contentOf(event) }
  } catch (cause) {
    const internal = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new Problem('webhook_refused', { cause, internal })
  }
}

function contentOf(event: Stripe.Event): PaymentEvent['content'] {
  switch (event.type) {
    case 'checkout.session.completed':
      return sessionChange(event.data.object, isPaid(event.data.object) ? 'paid' : 'unpaid')
    case 'checkout.session.async_payment_succeeded':
      return sessionChange(event.data.object, isPaid(event.data.object) ? 'paid' : 'unpaid')
    case 'checkout.session.async_payment_failed':
      return sessionChange(event.data.object, 'failed')
    case 'checkout.session.expired':
      return sessionChange(event.data.object, 'expired')
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refund(event.data.object)
    case 'charge.dispute.funds_withdrawn':
      return reversal(event.data.object, 'dispute', 'taken')
    case 'charge.dispute.funds_reinstated':
      return reversal(event.data.object, 'dispute', 'returned')
    default:
      return undefined
  }
}

function isPaid({ payment_status }: Stripe.Checkout.Session): boolean {
  return payment_status === 'paid'
}

function sessionChange(session: Stripe.Checkout.Session, change: SessionChange['change']): SessionChange {
  const { account_id: accountId, payment_id: id } = session.metadata ?? {}
  const isOurs = accountId !== undefined && isUuid(accountId) && id !== undefined && /^pay_\w+$/.test(id)
  return {
    kind: 'session',
    change,
    sessionId: session.id,
    payment: isOurs ? { accountId, id } : undefined,
    paymentIntentId: idOf(session.payment_intent),
    amountCents: session.amount_total ?? undefined,
    currency: session.currency ?? undefined,
  }
}

/** A refund takes the money as soon as it is asked for; one that fails or is cancelled gives it back. */
function refund(object: Stripe.Refund): Reversal | undefined {
  const isReturned = object.status === 'failed' || object.status === 'canceled'
  return reversal(object, 'payment_refund', isReturned ? 'returned' : 'taken')
}

function reversal(
  object: Stripe.Refund | Stripe.Dispute,
  method: Reversal['method'],
  state: Reversal['state'],
): Reversal | undefined {
  const paymentIntentId = idOf(object.payment_intent)
  if (paymentIntentId === undefined) return undefined
  const { id, amount: amountCents, currency } = object
  return { kind: 'reversal', id, method, state, paymentIntentId, amountCents, currency }
}

function idOf(reference: string | { id: string } | null): string | undefined {
  return typeof reference === 'string' ? reference : reference?.id
}
