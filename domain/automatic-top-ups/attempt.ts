import type Stripe from 'stripe'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { type Refusal, refusalOf } from '../billing/refusal.ts'
import { isLostCustomer, type StripeFault } from '../stripe/stripe-faults.ts'

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
  /** Stripe's ID of the only charge that may be confirmed; null until it is created. */
  paymentIntentId: string | null
  /** The number of errors that Stripe returned. */
  tries: number
  /** The age of the attempt by the clock of Postgres, in milliseconds. */
  ageMs: number
  /** Whether the account is suspended or closed. */
  isRefused: boolean
}

/** The outcome of an attempt. `unknown`: Stripe's answer does not say it, so the attempt must be continued. */
export type ChargeAnswer = Charged | Refused | Unknown

export interface Charged {
  state: 'charged'
  intent: Stripe.PaymentIntent
}

/** The card is not charged, and never will be for this attempt. */
export interface Refused extends Refusal {
  state: 'refused'
  /** The charge that was cancelled; null if none was created. */
  paymentIntentId: string | null
  /** The customer of the charge, if Stripe does not know it. */
  lostCustomer?: string
}

export interface Unknown {
  state: 'unknown'
  error: string
}

/** Returns the columns of an attempt, from a row `p` of `payments`. */
export function attemptColumns(sql: Sql) {
  return sql`p.account_id as "accountId", p.id, p.amount_nanos as "amountNanos", p.tax_nanos as "taxNanos",
    p.tax_calculation_id as "taxCalculationId", p.currency, p.card_id as "cardId",
    p.payment_intent_id as "paymentIntentId", p.tries,
    (extract(epoch from now() - p.created_at) * 1000)::float8 as "ageMs",
    exists (select from accounts a where a.id = p.account_id and account_refusal(a.suspended_at, a.closed_at) is not null) as "isRefused"`
}

/** Returns the refusal in an error of Stripe; undefined for errors that do not say what happened. */
export function refusalIn(
  fault: StripeFault,
  { customer }: { customer?: string } = {},
): Omit<Refused, 'paymentIntentId'> | undefined {
  if (customer !== undefined && isLostCustomer(fault))
    return { state: 'refused', failure: 'customer_missing', policy: 'stop', lostCustomer: customer }
  if (fault.type === 'StripeCardError') return { state: 'refused', ...refusalOf(fault) }
  if (fault.type === 'StripeInvalidRequestError' && fault.status === 400)
    return { state: 'refused', failure: fault.code ?? 'invalid_request', policy: 'retry' }
  return undefined
}
