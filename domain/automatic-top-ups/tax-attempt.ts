import type Stripe from 'stripe'
import { cents, NANOS_PER_CENT } from '../../platform/money.ts'
import type { Context } from '../context.ts'
import { answerOf } from '../stripe/stripe-faults.ts'
import { type Attempt, type Refused, refusalIn, type Unknown } from './attempt.ts'

/**
 * Calculates the tax of an attempt once and stores it, so that each repetition charges the same amount. Returns the
 * attempt with its tax, unchanged unless `STRIPE_INVOICES` is `tax`.
 */
export async function taxAttempt(
  { config, sql }: Pick<Context, 'config' | 'sql'>,
  { client, attempt, customer }: { client: Stripe; attempt: Attempt; customer: string },
): Promise<Attempt | Refused | Unknown> {
  if (config.stripeInvoices !== 'tax' || attempt.taxCalculationId !== null) return attempt
  const { accountId, id, amountNanos, currency } = attempt
  const calculated = await answerOf(() =>
    client.tax.calculations.create({
      currency,
      customer,
      line_items: [{ amount: cents(amountNanos), reference: 'credits', tax_behavior: 'exclusive' }],
    }),
  )
  if ('fault' in calculated) {
    const refusal = refusalIn(calculated.fault, { customer })
    return refusal
      ? { ...refusal, paymentIntentId: null }
      : { state: 'unknown', error: calculated.fault.text }
  }
  const taxNanos = BigInt(calculated.tax_amount_exclusive) * NANOS_PER_CENT
  const [stored] = await sql<Pick<Attempt, 'taxNanos' | 'taxCalculationId'>[]>`
    update payments set tax_nanos = coalesce(tax_nanos, ${taxNanos}),
      tax_calculation_id = coalesce(tax_calculation_id, ${calculated.id})
    where account_id = ${accountId} and id = ${id}
    returning tax_nanos as "taxNanos", tax_calculation_id as "taxCalculationId"`
  return { ...attempt, ...stored }
}
