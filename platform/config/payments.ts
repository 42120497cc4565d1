import { integer, noneOr, optional, prefixedSecret, type Setting, url } from './parsers.ts'

/** The card processor (docs/payments.md). */
export const payments = {
  stripeSecretKey: {
    env: 'STRIPE_SECRET_KEY',
    doc: 'key of Stripe, `sk_…` or `rk_…`, with which top-ups are started; `none` takes no cards',
    default: 'none',
    parse: noneOr(prefixedSecret(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], 16)),
  },
  stripeWebhookSecret: {
    env: 'STRIPE_WEBHOOK_SECRET',
    doc: 'what Stripe signs events to /api/v1/webhooks/stripe with, `whsec_…`; required with STRIPE_SECRET_KEY',
    default: '',
    parse: optional(prefixedSecret(['whsec_'], 22)),
  },
  stripeUrl: {
    env: 'STRIPE_URL',
    doc: "a payment simulator in place of Stripe's own address; refused in production",
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  topUpReturnUrl: {
    env: 'TOP_UP_RETURN_URL',
    doc: 'the page to which Stripe leads back, with `?top_up=` and its id; empty is a plain page of ours',
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  paymentEventDays: {
    env: 'PAYMENT_EVENT_DAYS',
    doc: 'how long the events that Stripe sent are kept, in days; what they did to accounts is kept for ever',
    default: '400',
    parse: integer(45, 3_650), // Stripe sends an event again for a month at most
  },
} satisfies Record<string, Setting<unknown>>

/** What is wrong about these settings together, one line each. */
export function faultsOfPayments(values: Readonly<Record<string, unknown>>, isProduction: boolean): string[] {
  const faults: string[] = []
  if (values.stripeSecretKey !== 'none' && values.stripeWebhookSecret === '')
    faults.push(
      'STRIPE_WEBHOOK_SECRET must be set with STRIPE_SECRET_KEY: without it anybody could send events',
    )
  if (isProduction && values.stripeUrl) faults.push('STRIPE_URL must not be set in production')
  return faults
}
