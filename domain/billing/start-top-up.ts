import type Stripe from 'stripe'
import { cents, NANOS_PER_CENT, NANOS_PER_DOLLAR } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { Context } from '../context.ts'
import { type StripeContext, withCustomer } from '../stripe/find-customer.ts'
import { failWithStripe, isRepeated, readFault } from '../stripe/stripe-faults.ts'
import { type Payment, paymentColumns } from './payment-records.ts'

/** A request for a top-up, from a user or an API client. */
export interface TopUp {
  accountId: string
  /** The amount, from 1 to 10,000 dollars, in whole cents. */
  amountNanos: bigint
  /** The idempotency key. Within a day, the same key returns the same top-up. */
  idempotencyKey?: string | undefined
  /** Whether Stripe saves the card for automatic top-ups. */
  savesCard?: boolean | undefined
  /** Whether the payment turns an automatic top-up on again whose card required authentication. */
  resumesAutomatic?: boolean | undefined
}

export interface TopUpContext extends StripeContext, Pick<Context, 'config'> {}

/** Minimum and maximum amount of a top-up. */
export const minNanos = NANOS_PER_DOLLAR
export const maxNanos = 10_000n * NANOS_PER_DOLLAR

/** Maximum number of unpaid top-ups per account and hour. */
const maxUnpaid = 50

/**
 * Starts a top-up: creates a pending row, then a Checkout session of Stripe under the row's ID, so that a retry
 * duplicates neither (docs/payments.md). A retry under the same idempotency key finds the row, and creates the
 * session if Stripe had failed. Throws `validation_failed`, `idempotency_conflict` if the key was used with other
 * values, `top_up_closed`, `rate_limit_exceeded`, and `unavailable` if Stripe does not respond.
 */
export async function startTopUp(context: TopUpContext, topUp: TopUp): Promise<Payment> {
  checkTopUp(topUp)
  const client = await context.payments.client()
  const payment = await openPayment(context, topUp)
  if (payment.checkoutUrl !== null || payment.status !== 'pending') return payment
  const session = await createSession(context, { client, payment })
  return keepSession(context, payment, session)
}

function checkTopUp({ amountNanos, idempotencyKey }: TopUp): void {
  if (amountNanos < minNanos || amountNanos > maxNanos) refuseParam('amount', 'must be 1 to 10000 dollars')
  if (amountNanos % NANOS_PER_CENT !== 0n) refuseParam('amount', 'must have at most two decimals')
  if (idempotencyKey !== undefined && !/^[\x20-\x7e]{1,255}$/.test(idempotencyKey))
    throw new Problem('validation_failed', {
      param: 'idempotencyKey',
      message: 'The idempotency key must be 1 to 255 visible characters.',
    })
}

/** Returns the pending row, or the row that was created under the same idempotency key within a day. */
async function openPayment({ sql }: TopUpContext, topUp: TopUp): Promise<Payment> {
  const { accountId, amountNanos, idempotencyKey = null, savesCard = false, resumesAutomatic = false } = topUp
  const [payment] = await sql<Payment[]>`
    select ${paymentColumns(sql)}
    from open_payment(${accountId}, ${amountNanos}, ${idempotencyKey}, ${maxUnpaid}, ${savesCard}, ${resumesAutomatic})`
  if (!payment) throw tooMany()
  if (payment.amountNanos !== amountNanos || payment.savesCard !== savesCard)
    throw new Problem('idempotency_conflict', { param: 'idempotencyKey' })
  return payment
}

function tooMany(): Problem {
  const message = `${maxUnpaid} top-ups of the last hour are not paid. Pay one of them, or wait until they are an hour old.`
  return new Problem('rate_limit_exceeded', { message, retryAfterSeconds: 600 })
}

/**
 * Creates a session in which this amount is paid, in dollars only. Stripe repeats its response under the same key for
 * a day, including errors. So a retry after no response uses the same key, which creates no second session. A retry
 * after an error uses another key.
 */
async function createSession(
  context: TopUpContext,
  { client, payment }: { client: Stripe; payment: Payment },
): Promise<Stripe.Checkout.Session> {
  const { accountId, id } = payment
  let { tries } = payment
  try {
    return await withCustomer(context, payment, customer =>
      client.checkout.sessions
        .create(sessionOf(context, customer, payment), {
          idempotencyKey: tries === 0 ? id : `${id}-${tries}`,
        })
        .catch(async error => {
          if (isRepeated(readFault(error))) tries = await countTry(context, { ...payment, tries })
          throw error
        }),
    )
  } catch (cause) {
    const message = 'Stripe did not create a session'
    throw failWithStripe(context, { paymentId: id, accountId, cause, message })
  }
}

/** Counts an error of Stripe, and returns the number of the next try. */
async function countTry({ sql }: TopUpContext, { accountId, id, tries }: Payment): Promise<number> {
  await sql`
    update payments set tries = ${tries + 1} where account_id = ${accountId} and id = ${id} and tries = ${tries}`
  return tries + 1
}

function sessionOf(
  { config }: TopUpContext,
  customer: string,
  { accountId, id, amountNanos, currency, savesCard }: Payment,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { payment_id: id, account_id: accountId }
  const returnUrl = new URL(config.topUpReturnUrl || `${config.baseUrl}/api/v1/billing/topup/done`)
  returnUrl.searchParams.set('top_up', id)
  const cancelUrl = new URL(returnUrl)
  cancelUrl.searchParams.set('cancelled', 'true')
  const price = {
    currency,
    unit_amount: cents(amountNanos),
    product_data: { name: 'Credits' },
  }
  const hasTax = config.stripeInvoices === 'tax'
  return {
    mode: 'payment',
    customer,
    client_reference_id: id,
    metadata,
    payment_intent_data: { metadata, ...(savesCard && { setup_future_usage: 'off_session' }) },
    line_items: [{ quantity: 1, price_data: { ...price, ...(hasTax && { tax_behavior: 'exclusive' }) } }],
    adaptive_pricing: { enabled: false }, // the credited amount equals the paid amount without tax, in one currency
    ...(config.stripeInvoices !== 'none' && {
      invoice_creation: { enabled: true, invoice_data: { metadata } },
    }),
    ...(hasTax && {
      automatic_tax: { enabled: true },
      tax_id_collection: { enabled: true },
      billing_address_collection: 'required',
      customer_update: { name: 'auto', address: 'auto' },
    }),
    success_url: returnUrl.href,
    cancel_url: cancelUrl.href,
  }
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
  if (!kept) throw new Error(`Stripe created another session for ${payment.id}`)
  return kept
}
