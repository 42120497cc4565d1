import {
  dollarAmount,
  integer,
  noneOr,
  oneOf,
  optional,
  prefixedSecret,
  type Setting,
  url,
} from './parsers.ts'

/** The card processor (docs/payments.md). */
export const payments = {
  stripeSecretKey: {
    env: 'STRIPE_SECRET_KEY',
    doc: 'the Stripe key for top-ups, `sk_…` or `rk_…`; `none` disables card payments',
    default: 'none',
    parse: noneOr(prefixedSecret(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], 16)),
  },
  stripeWebhookSecret: {
    env: 'STRIPE_WEBHOOK_SECRET',
    doc: 'the secret with which Stripe signs events for /api/v1/webhooks/stripe, `whsec_…`; required with STRIPE_SECRET_KEY',
    default: '',
    parse: optional(prefixedSecret(['whsec_'], 22)),
  },
  stripeUrl: {
    env: 'STRIPE_URL',
    doc: 'the URL of a payment simulator that replaces Stripe; refused in production',
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  topUpReturnUrl: {
    env: 'TOP_UP_RETURN_URL',
    doc: 'the page to which Stripe returns the customer, with `?top_up=` and the ID of the top-up, and `&cancelled=true` if the customer left without paying; if empty, the billing page of the console, or a plain page without the console',
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  stripeInvoices: {
    env: 'STRIPE_INVOICES',
    doc: 'the documents that Stripe creates for top-ups: `none` (only receipts), `plain` (an invoice for each top-up), or `tax` (Stripe Tax also adds the tax to every top-up, and collects billing address and tax ID)',
    default: 'none',
    parse: oneOf('none', 'plain', 'tax'),
  },
  trialCreditNanos: {
    env: 'TRIAL_CREDIT',
    doc: 'credits of a new account in US dollars, granted once per person when the owner first confirms an e-mail address; 0 grants none',
    default: '0',
    parse: dollarAmount(1_000),
  },
  paymentEventDays: {
    env: 'PAYMENT_EVENT_DAYS',
    doc: 'retention of events from Stripe, in days. Their transactions are kept forever',
    default: '400',
    parse: integer(45, 3_650), // Stripe sends an event again for a month at most
  },
} satisfies Record<string, Setting<unknown>>

/** Returns the faults of these settings in combination, one line each. */
export function faultsOfPayments(values: Readonly<Record<string, unknown>>, isProduction: boolean): string[] {
  const faults: string[] = []
  if (values.stripeSecretKey !== 'none' && values.stripeWebhookSecret === '')
    faults.push(
      'STRIPE_WEBHOOK_SECRET must be set with STRIPE_SECRET_KEY: without it, events could be forged',
    )
  if (isProduction && values.stripeUrl) faults.push('STRIPE_URL must not be set in production')
  return faults
}
