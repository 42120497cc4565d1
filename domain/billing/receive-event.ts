import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { Context } from '../context.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import type { PaymentEvent, Reversal, SessionChange } from './parse-event.ts'
import { balanceTopic } from './watch-balances.ts'

/** What an event came to. */
export interface EventOutcome {
  outcome: Outcome
  accountId?: string | undefined
  paymentId?: string | undefined
}

export type Outcome =
  /** The amount was added to the credits. */
  | 'credited'
  /** A refund or dispute was taken from the credits. */
  | 'taken'
  /** It came to nothing: the credits have it again. */
  | 'returned'
  /** The payment, refund or dispute stood so already. */
  | 'known'
  /** The session has ended, and the money is still on its way. */
  | 'awaited'
  /** The session has ended without money. */
  | 'failed'
  | 'expired'
  /** A refund or dispute of a payment that has not been told yet: that takes it along. */
  | 'kept'
  /** Nobody was credited: no payment of ours, or not as it was begun. */
  | 'unknown_payment'
  | 'other_session'
  | 'other_amount'
  | 'other_currency'
  /** A delivery of an event that was received before. */
  | 'duplicate'
  /** An event of a type that we do nothing about. */
  | 'ignored'

/** What an operator should look at: money may have moved that stands in no account. */
const alarming: ReadonlySet<Outcome> = new Set([
  'unknown_payment',
  'other_session',
  'other_amount',
  'other_currency',
])

/**
 * Acts on an event, once: its id, what it does to a payment, the transaction and the credits are one
 * statement, so that whatever fails before its commit is made up for by the next delivery
 * (docs/payments.md). What it came to is told in the log.
 */
export async function receiveEvent(
  context: Pick<Context, 'config' | 'sql' | 'log' | 'news' | 'redis'>,
  event: PaymentEvent,
): Promise<EventOutcome> {
  const { id, type, content } = event
  const done = await act(context, event)
  const line = { event: id, type, ...done, ...(content && describe(content)) }
  if (alarming.has(done.outcome)) context.log.error(line, 'a payment event fits no payment')
  else context.log.info(line, 'payment event')
  if (done.accountId && content?.kind === 'reversal')
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
  const [done] = await sql<{ outcome: Outcome }[]>`
    select change_session(${id}, ${type}, ${payment?.accountId ?? null}, ${payment?.id ?? null}, ${sessionId},
      ${paymentIntentId}, ${change}, ${nanosOf(amountCents)}, ${currency}) as outcome`
  if (!done) throw new Error('change_session answered nothing')
  return { outcome: done.outcome, accountId: payment?.accountId, paymentId: payment?.id }
}

async function reversePayment(
  { sql }: Pick<Context, 'sql'>,
  { id, type, createdAt, content }: PaymentEvent & { content: Reversal },
): Promise<EventOutcome> {
  const { id: reversalId, paymentIntentId, method, state, amountCents, currency } = content
  const [done] = await sql<{ outcome: Outcome; accountId: string | null; paymentId: string | null }[]>`
    select outcome, account as "accountId", payment as "paymentId"
    from reverse_payment(${id}, ${type}, ${paymentIntentId}, ${reversalId}, ${method}, ${state},
      ${nanosOf(amountCents)}, ${currency}, ${createdAt})`
  if (!done) throw new Error('reverse_payment answered nothing')
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
