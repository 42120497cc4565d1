import { NANOS_PER_CENT } from '../../platform/money.ts'
import type { Context } from '../context.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import type { EventContent, PaymentEvent } from './payment-event.ts'
import { balanceTopic } from './watch-balances.ts'

/** The outcome of an event. */
export interface EventOutcome {
  outcome: PaymentOutcome
  accountId?: string | undefined
  paymentId?: string | undefined
}

export type PaymentOutcome =
  /** The amount was added to the credits. */
  | 'credited'
  /** A refund or dispute was taken from the credits. */
  | 'taken'
  /** A refund or dispute was returned to the credits. */
  | 'returned'
  /** The payment, refund or dispute already had this state. */
  | 'known'
  /** The session has ended, and the money is still pending. */
  | 'awaited'
  /** The session has ended without money. */
  | 'failed'
  | 'expired'
  /** A refund or dispute whose payment is not known yet. It is applied together with the payment. */
  | 'kept'
  /** Nothing was credited: there is no such payment, it was paid by another charge, or it has other values. */
  | 'unknown_payment'
  | 'other_session'
  | 'other_charge'
  | 'other_amount'
  | 'other_currency'
  /** A card was saved or removed. */
  | 'card_saved'
  | 'card_removed'
  /** The URLs of a receipt or invoice were stored. */
  | 'described'
  /** A repeated delivery of an event. */
  | 'duplicate'
  /** An event that is ignored: of another type, or about a customer of another system. */
  | 'ignored'

/** Outcomes that an operator must check: money may have moved without a record in any account. */
const alarming: ReadonlySet<PaymentOutcome> = new Set([
  'unknown_payment',
  'other_session',
  'other_charge',
  'other_amount',
  'other_currency',
])

/**
 * Applies an event once. Its ID, its effect on a payment, the transaction and the credits are one statement, so after
 * a failure before the commit the next delivery applies it (docs/payments.md). Logs the outcome.
 */
export async function receiveEvent(
  context: Pick<Context, 'config' | 'sql' | 'log' | 'news' | 'redis'>,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { id, type, content } = event
  const done = await act(context, event)
  const line = { event: id, type, ...done, ...(content && describe(content)) }
  if (alarming.has(done.outcome)) context.log.error(line, 'a payment event matches no payment')
  else context.log.info(line, 'payment event')
  if (done.accountId && (content?.kind === 'reversal' || done.outcome === 'credited'))
    await raiseRevisions(context, { accountId: done.accountId })
  if (done.accountId) await context.news.publish(balanceTopic(done.accountId), {})
  return done
}

/** Applies an event's content with one statement. */
function act(context: Pick<Context, 'sql'>, event: PaymentEvent): Promise<EventOutcome> {
  const { content } = event
  switch (content?.kind) {
    case 'session':
    case 'charge':
      return changePayment(context, { ...event, content })
    case 'reversal':
      return reversePayment(context, { ...event, content })
    case 'card':
      return changeCard(context, { ...event, content })
    case 'pages':
      return describePayment(context, { ...event, content })
    case undefined:
      return Promise.resolve({ outcome: 'ignored' })
  }
}

type EventOf<Kind extends EventContent['kind']> = PaymentEvent & {
  content: Extract<EventContent, { kind: Kind }>
}

async function changePayment(
  { sql }: Pick<Context, 'sql'>,
  { id, type, content }: EventOf<'session' | 'charge'>,
): Promise<EventOutcome> {
  const { payment, paymentIntentId = null, change, amountCents, currency = null } = content
  const session = content.kind === 'session' ? content : undefined
  const refusal = content.kind === 'charge' ? content.refusal : undefined
  const [done] = await sql<{ outcome: PaymentOutcome }[]>`
    select change_payment(${id}, ${type}, ${payment?.accountId ?? null}, ${payment?.id ?? null},
      ${session?.sessionId ?? null}, ${paymentIntentId}, ${change}, ${nanosOf(amountCents)},
      ${nanosOf(session?.taxCents)}, ${currency}, ${refusal?.failure ?? null}, ${refusal?.policy ?? null}) as outcome`
  if (!done) throw new Error('change_payment returned no row')
  return { outcome: done.outcome, accountId: payment?.accountId, paymentId: payment?.id }
}

async function reversePayment(
  { sql }: Pick<Context, 'sql'>,
  { id, type, createdAt, content }: EventOf<'reversal'>,
): Promise<EventOutcome> {
  const { id: reversalId, paymentIntentId, method, state, amountCents, currency } = content
  const [done] = await sql<{ outcome: PaymentOutcome; accountId: string | null; paymentId: string | null }[]>`
    select outcome, account as "accountId", payment as "paymentId"
    from reverse_payment(${id}, ${type}, ${paymentIntentId}, ${reversalId}, ${method}, ${state},
      ${nanosOf(amountCents)}, ${currency}, ${createdAt})`
  if (!done) throw new Error('reverse_payment returned no row')
  const { outcome, accountId, paymentId } = done
  return { outcome, accountId: accountId ?? undefined, paymentId: paymentId ?? undefined }
}

async function changeCard(
  { sql }: Pick<Context, 'sql'>,
  { id, type, createdAt, content }: EventOf<'card'>,
): Promise<EventOutcome> {
  const { customerId, id: cardId, change, card, savedAt } = content
  const [done] = await sql<{ outcome: PaymentOutcome; accountId: string | null }[]>`
    select outcome, account as "accountId"
    from change_saved_card(${id}, ${type}, ${customerId}, ${cardId}, ${change}, ${card?.brand ?? null},
      ${card?.last4 ?? null}, ${card?.expiryMonth ?? null}, ${card?.expiryYear ?? null}, ${savedAt}, ${createdAt})`
  if (!done) throw new Error('change_saved_card returned no row')
  return { outcome: done.outcome, accountId: done.accountId ?? undefined }
}

async function describePayment(
  { sql }: Pick<Context, 'sql'>,
  { id, type, content: { payment, ...pages } }: EventOf<'pages'>,
): Promise<EventOutcome> {
  const [done] = await sql<{ outcome: PaymentOutcome }[]>`
    select describe_payment(${id}, ${type}, ${payment.accountId}, ${payment.id}, ${pages.receiptUrl ?? null},
      ${pages.invoiceUrl ?? null}, ${pages.invoicePdfUrl ?? null}) as outcome`
  if (!done) throw new Error('describe_payment returned no row')
  return { outcome: done.outcome, accountId: payment.accountId, paymentId: payment.id }
}

function nanosOf(cents: number | undefined): bigint | null {
  return cents === undefined ? null : BigInt(cents) * NANOS_PER_CENT
}

/** Returns the fields of an event for the log. */
function describe(content: EventContent): object {
  if (content.kind === 'card') return { card: content.id, change: content.change }
  if (content.kind === 'pages') return {}
  const { paymentIntentId, amountCents, currency } = content
  const money = { paymentIntentId, amountCents, currency }
  if (content.kind === 'session') return { session: content.sessionId, ...money }
  if (content.kind === 'reversal') return { reversal: content.id, ...money }
  return { ...money, failure: content.refusal?.failure }
}
