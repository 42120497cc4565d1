import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { Context } from '../context.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import type { PaymentEvent, Reversal, SessionChange } from './parse-event.ts'
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
  /** Nothing was credited: there is no such payment, or its session has other values. */
  | 'unknown_payment'
  | 'other_session'
  | 'other_amount'
  | 'other_currency'
  /** A repeated delivery of an event. */
  | 'duplicate'
  /** An event of a type that is ignored. */
  | 'ignored'

/** Outcomes that an operator must check: money may have moved without a record in any account. */
const alarming: ReadonlySet<PaymentOutcome> = new Set([
  'unknown_payment',
  'other_session',
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

async function act({ sql }: Pick<Context, 'sql'>, event: PaymentEvent): Promise<EventOutcome> {
  const { content } = event
  if (!content) return { outcome: 'ignored' }
  return content.kind === 'session'
    ? changeSession({ sql }, { ...event, content })
    : reversePayment({ sql }, { ...event, content })
}

async function changeSession(
  { sql }: Pick<Context, 'sql'>,
  { id, type, content }: PaymentEvent & { content: SessionChange },
): Promise<EventOutcome> {
  const { payment, sessionId, paymentIntentId = null, change, amountCents, currency = null } = content
  const [done] = await sql<{ outcome: PaymentOutcome }[]>`
    select change_session(${id}, ${type}, ${payment?.accountId ?? null}, ${payment?.id ?? null}, ${sessionId},
      ${paymentIntentId}, ${change}, ${nanosOf(amountCents)}, ${currency}) as outcome`
  if (!done) throw new Error('change_session returned no row')
  return { outcome: done.outcome, accountId: payment?.accountId, paymentId: payment?.id }
}

async function reversePayment(
  { sql }: Pick<Context, 'sql'>,
  { id, type, createdAt, content }: PaymentEvent & { content: Reversal },
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

function nanosOf(cents: number | undefined): bigint | null {
  return cents === undefined ? null : BigInt(cents) * (NANOS_PER_DOLLAR / 100n)
}

function describe(content: NonNullable<PaymentEvent['content']>) {
  const { paymentIntentId, amountCents, currency } = content
  const of = content.kind === 'session' ? { session: content.sessionId } : { reversal: content.id }
  return { ...of, paymentIntentId, amountCents, currency }
}
