import type Stripe from 'stripe'
import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { Payments } from './open-payments.ts'
import { type Payment, paymentColumns } from './payment-records.ts'

/** What a person, or a program of the account, asks for. */
export interface TopUp {
  accountId: string
  /** Dollars and cents from 1 to 10,000 dollars. */
  amountNanos: bigint
  /** The client's own name for it: for a day the same name stands for the same top-up. */
  idempotencyKey?: string | undefined
}

export interface TopUpContext extends Pick<Context, 'sql' | 'config' | 'log'> {
  payments: Payments
}

const nanosPerCent = NANOS_PER_DOLLAR / 100n
/** Smallest and largest amount of a top-up. */
export const minNanos = NANOS_PER_DOLLAR
export const maxNanos = 10_000n * NANOS_PER_DOLLAR

/** How many top-ups of an account may be begun and unpaid in an hour. */
const maxUnpaid = 50

/**
 * Starts a top-up: a pending row first, then a Checkout session of Stripe's under the row's id, so that
 * whatever is sent again makes neither a second time (docs/payments.md). A try under the same idempotency key
 * finds the row, and makes up for a session that Stripe did not give. Throws `validation_failed`,
 * `idempotency_conflict` for another amount under the same key, `top_up_closed`, `rate_limit_exceeded`, and
 * `unavailable` while Stripe does not answer.
 */
export async function startTopUp(context: TopUpContext, topUp: TopUp): Promise<Payment> {
  checkTopUp(topUp)
  const client = await context.payments.client()
  const payment = await openPayment(context, topUp)
  if (payment.checkoutUrl !== null || payment.status !== 'pending') return payment
  const session = await createSession(context, client, payment)
  return keepSession(context, payment, session)
}

function checkTopUp({ amountNanos, idempotencyKey }: TopUp): void {
  if (amountNanos < minNanos || amountNanos > maxNanos) refuse('amount', 'amount must be 1 to 10000 dollars.')
  if (amountNanos % nanosPerCent !== 0n) refuse('amount', 'amount must have at most two decimals.')
  if (idempotencyKey !== undefined && !/^[\x20-\x7e]{1,255}$/.test(idempotencyKey))
    refuse('idempotencyKey', 'The idempotency key must be 1 to 255 visible characters.')
}

function refuse(param: string, message: string): never {
  throw new Problem('validation_failed', { param, message })
}

/** The pending row; under an idempotency key that was used within a day, the row that it stands for. */
async function openPayment({ sql }: TopUpContext, topUp: TopUp): Promise<Payment> {
  const { accountId, amountNanos, idempotencyKey = null } = topUp
  const [payment] = await sql<Payment[]>`
    select ${paymentColumns(sql)} from open_payment(${accountId}, ${amountNanos}, ${idempotencyKey}, ${maxUnpaid})`
  if (!payment) throw tooMany()
  if (payment.amountNanos !== amountNanos)
    throw new Problem('idempotency_conflict', { param: 'idempotencyKey' })
  return payment
}

function tooMany(): Problem {
  const message = `${maxUnpaid} top-ups of the last hour wait to be paid: pay one of them, or wait.`
  return new Problem('rate_limit_exceeded', { message, retryAfterSeconds: 600 })
}

/**
 * Creates a session in which this amount is paid, in dollars alone. Stripe repeats its answer under the same key for a
 * day, errors included. So a try that got no answer is repeated under the same key, which creates no second session. A
 * try that was answered with an error has the next one use another key.
 */
async function createSession(
  context: TopUpContext,
  client: Stripe,
  { accountId, id, amountNanos, currency, sessionTries }: Payment,
): Promise<Stripe.Checkout.Session> {
  const { sql, config, log } = context
  const metadata = { payment_id: id, account_id: accountId }
  const returnUrl = new URL(config.topUpReturnUrl || `${config.baseUrl}/api/v1/billing/topup/done`)
  returnUrl.searchParams.set('top_up', id)
  try {
    return await client.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: id,
        metadata,
        payment_intent_data: { metadata },
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency,
              unit_amount: Number(amountNanos / nanosPerCent),
              product_data: { name: 'Credits' },
            },
          },
        ],
        adaptive_pricing: { enabled: false }, // what is credited is what is paid, in one currency
        success_url: returnUrl.href,
        cancel_url: returnUrl.href,
      },
      { idempotencyKey: sessionTries === 0 ? id : `${id}-${sessionTries}` },
    )
  } catch (cause) {
    if (isAnswered(cause))
      await sql`
        update payments set session_tries = ${sessionTries + 1}
        where account_id = ${accountId} and id = ${id} and session_tries = ${sessionTries}`
    log.error({ paymentId: id, accountId, error: describe(cause) }, 'Stripe made no session')
    throw new Problem('unavailable', {
      cause,
      retryAfterSeconds: 5,
      message: 'The card processor does not answer. Nothing was charged: try again.',
      internal: describe(cause),
    })
  }
}

/** Whether Stripe answered with an error that it repeats. A 409 says that the first try is still at work. */
function isAnswered(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false
  return typeof error.statusCode === 'number' && error.statusCode !== 409
}

/** What Stripe says, without what was sent to it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const type = 'type' in error ? String(error.type) : error.name
  return `${type}: ${error.message}`
}

async function keepSession(
  { sql }: TopUpContext,
  payment: Payment,
  session: Stripe.Checkout.Session,
): Promise<Payment> {
  const [kept] = await sql<Payment[]>`
    update payments set session_id = ${session.id}, checkout_url = ${session.url}
    where account_id = ${payment.accountId} and id = ${payment.id} and (session_id is null or session_id = ${session.id})
    returning ${paymentColumns(sql)}`
  if (!kept) throw new Error(`Stripe made another session for ${payment.id}`)
  return kept
}
