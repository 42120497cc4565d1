import type Stripe from 'stripe'
import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { type Refusal, refusalOf } from '../billing/refusal.ts'
import type { Context } from '../context.ts'
import { obtainCustomer, type StripeContext } from '../stripe/find-customer.ts'
import { readFault, type StripeFault } from '../stripe/stripe-faults.ts'

/** An automatic top-up in progress. */
export interface Attempt {
  accountId: string
  id: string
  amountNanos: bigint
  /** The tax and Stripe's calculation of it; null until it is calculated, and without tax. */
  taxNanos: bigint | null
  taxCalculationId: string | null
  currency: string
  /** The card to charge. */
  cardId: string
  /** Stripe's ID of the charge; null until an answer has named it. */
  paymentIntentId: string | null
  createdAt: Date
  /** The age of the attempt by the clock of Postgres, in milliseconds. */
  ageMs: number
  isRefused: boolean
}

/** The outcome of a charge. `unknown`: Stripe did not answer, so the same charge must be repeated or looked up. */
export type ChargeAnswer = { state: 'charged' | 'unknown'; error?: string } | ({ state: 'refused' } & Refusal)

type ChargingContext = StripeContext & Pick<Context, 'config'>

const nanosPerCent = NANOS_PER_DOLLAR / 100n

/** Timeout of a charge, in milliseconds. Banks can take longer than Stripe's other operations. */
const chargeTimeoutMs = 30_000

/**
 * The time in which a charge is repeated under its idempotency key, in milliseconds. Stripe keeps keys for at least a
 * day. Afterwards the charge is looked up.
 */
const repeatableMs = 20 * 3_600_000

/**
 * The age from which a charge that Stripe answers with a server error is looked up, in milliseconds. Stripe repeats such
 * an answer under the same key, although it may have charged the card.
 */
const settledMs = 10 * 60_000

/** Returns the columns of an attempt, from a row `p` of `payments`. */
export function attemptColumns(sql: Sql) {
  return sql`p.account_id as "accountId", p.id, p.amount_nanos as "amountNanos", p.tax_nanos as "taxNanos",
    p.tax_calculation_id as "taxCalculationId", p.currency, p.card_id as "cardId",
    p.payment_intent_id as "paymentIntentId", p.created_at as "createdAt",
    (extract(epoch from now() - p.created_at) * 1000)::float8 as "ageMs",
    exists (select from accounts a where a.id = p.account_id and account_refusal(a.suspended_at, a.closed_at) is not null) as "isRefused"`
}

/** Charges the card of an attempt once, or finds out what became of an earlier call. Throws if the database does not answer. */
export async function chargeAttempt(context: ChargingContext, attempt: Attempt): Promise<ChargeAnswer> {
  const client = await context.payments.client()
  const known = attempt.paymentIntentId
  if (known !== null) return outcomeOfRead(() => client.paymentIntents.retrieve(known))
  // A suspended or closed account is not charged, but may have been charged before.
  if (attempt.ageMs > repeatableMs || attempt.isRefused) return lookUp(context, { client, attempt })

  const customer = await customerOf(context, attempt)
  if (customer === undefined) return { state: 'unknown', error: 'the Stripe customer could not be created' }
  const taxed = await withTax(context, { client, attempt, customer })
  if ('state' in taxed) return taxed
  const answer = await outcomeOf(() =>
    client.paymentIntents.create(chargeOf(taxed, customer), {
      idempotencyKey: attempt.id,
      timeout: chargeTimeoutMs,
      maxNetworkRetries: 0,
    }),
  )
  const isStuck = answer.state === 'unknown' && answer.isServerError === true && attempt.ageMs > settledMs
  if (isStuck) return lookUp(context, { client, attempt })
  await keepIntent(context, attempt, answer.paymentIntentId)
  return answer
}

/** An answer with what only this file needs. */
type Outcome = ChargeAnswer & { paymentIntentId?: string | undefined; isServerError?: boolean }

/** Interprets the answer to a call about a charge. */
async function outcomeOf(call: () => Promise<Stripe.PaymentIntent>): Promise<Outcome> {
  try {
    return stateOf(await call())
  } catch (error) {
    const fault = readFault(error)
    const refusal = refusalIn(fault)
    if (refusal) return { state: 'refused', ...refusal, paymentIntentId: fault.paymentIntentId }
    return { state: 'unknown', error: fault.text, isServerError: (fault.status ?? 0) >= 500 }
  }
}

/** Interprets the answer to a read of a charge. If the read fails, the card may have been charged. */
async function outcomeOfRead(read: () => Promise<Stripe.PaymentIntent>): Promise<ChargeAnswer> {
  try {
    return stateOf(await read())
  } catch (error) {
    return { state: 'unknown', error: readFault(error).text }
  }
}

function stateOf(intent: Stripe.PaymentIntent): Outcome {
  const { id: paymentIntentId, status, last_payment_error: error } = intent
  if (status === 'succeeded' || status === 'processing') return { state: 'charged', paymentIntentId }
  const refusal = refusalOf({
    code: status === 'requires_action' ? 'authentication_required' : error?.code,
    declineCode: error?.decline_code,
    adviceCode: error?.advice_code,
  })
  return { state: 'refused', ...refusal, paymentIntentId }
}

/**
 * Returns the refusal in an error after which Stripe has certainly charged nothing; undefined for other errors. Stripe
 * refuses an invalid API key before it looks at the idempotency key, so an earlier call may have charged the card.
 */
function refusalIn(fault: StripeFault): Refusal | undefined {
  if (fault.type === 'StripeCardError') return refusalOf(fault)
  if (fault.type === 'StripeInvalidRequestError')
    return { failure: fault.code ?? 'invalid_request', policy: 'retry' }
  return undefined
}

async function customerOf(context: ChargingContext, attempt: Attempt): Promise<string | undefined> {
  // A saved card has a customer. The call to Stripe is for a database that was restored without it.
  return obtainCustomer(context, attempt).catch(() => undefined)
}

/** Calculates the tax once and stores it, so that each repetition charges the same amount. */
async function withTax(
  { config, sql }: ChargingContext,
  { client, attempt, customer }: { client: Stripe; attempt: Attempt; customer: string },
): Promise<Attempt | Outcome> {
  if (config.stripeInvoices !== 'tax' || attempt.taxCalculationId !== null) return attempt
  const { accountId, id, amountNanos, currency } = attempt
  try {
    const calculated = await client.tax.calculations.create({
      currency,
      customer,
      line_items: [
        { amount: Number(amountNanos / nanosPerCent), reference: 'credits', tax_behavior: 'exclusive' },
      ],
    })
    const taxNanos = BigInt(calculated.tax_amount_exclusive) * nanosPerCent
    const [stored] = await sql<Pick<Attempt, 'taxNanos' | 'taxCalculationId'>[]>`
      update payments set tax_nanos = coalesce(tax_nanos, ${taxNanos}),
        tax_calculation_id = coalesce(tax_calculation_id, ${calculated.id})
      where account_id = ${accountId} and id = ${id}
      returning tax_nanos as "taxNanos", tax_calculation_id as "taxCalculationId"`
    return { ...attempt, ...stored }
  } catch (error) {
    const fault = readFault(error)
    const refusal = refusalIn(fault)
    return refusal ? { state: 'refused', ...refusal } : { state: 'unknown', error: fault.text }
  }
}

function chargeOf(attempt: Attempt, customer: string): Stripe.PaymentIntentCreateParams {
  const { accountId, id, amountNanos, taxNanos, taxCalculationId, currency, cardId } = attempt
  return {
    amount: Number((amountNanos + (taxNanos ?? 0n)) / nanosPerCent),
    currency,
    customer,
    payment_method: cardId,
    allowed_payment_method_types: ['card'],
    confirm: true,
    off_session: true,
    description: 'Credits (automatic top-up)',
    metadata: { payment_id: id, account_id: accountId, automatic: 'true' },
    ...(taxCalculationId !== null && { hooks: { inputs: { tax: { calculation: taxCalculationId } } } }),
  }
}

/** Searches the customer's charges for the charge of the attempt. If it does not exist, Stripe has charged nothing. */
async function lookUp(
  context: ChargingContext,
  { client, attempt }: { client: Stripe; attempt: Attempt },
): Promise<ChargeAnswer> {
  const customer = await customerOf(context, attempt)
  if (customer === undefined) return { state: 'unknown', error: 'the Stripe customer is unknown' }
  const since = Math.floor(attempt.createdAt.getTime() / 1000) - 3_600
  try {
    for await (const intent of client.paymentIntents.list({
      customer,
      created: { gte: since },
      limit: 100,
    })) {
      if (intent.metadata.payment_id !== attempt.id) continue
      await keepIntent(context, attempt, intent.id)
      return stateOf(intent)
    }
  } catch (error) {
    return { state: 'unknown', error: readFault(error).text }
  }
  return {
    state: 'refused',
    failure: attempt.isRefused ? 'account_refused' : 'not_charged',
    policy: 'wait',
  }
}

async function keepIntent(
  { sql }: ChargingContext,
  { accountId, id }: Attempt,
  paymentIntentId: string | undefined,
): Promise<void> {
  if (paymentIntentId === undefined) return
  await sql`
    update payments set payment_intent_id = ${paymentIntentId}
    where account_id = ${accountId} and id = ${id} and payment_intent_id is null`
}
