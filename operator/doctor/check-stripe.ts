import 'stripe' // loading it takes longer than most checks
import type Stripe from 'stripe'
import { paymentEventTypes } from '../../domain/billing/parse-event.ts'
import { openPayments } from '../../domain/stripe/open-payments.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { type Finding, findingsOf, type Result } from './check.ts'

/** Age at which an event should have been delivered, and age at which it no longer counts, in seconds. */
const deliveredAfterSeconds = 10 * 60
const recentSeconds = 24 * 3600

/** Checks that Stripe accepts the key, sends its events to this installation, and could deliver them. Changes nothing. */
export async function checkStripe(config: Config): Promise<Result> {
  if (config.stripeSecretKey === 'none') return { skipped: 'STRIPE_SECRET_KEY is none: no card payments' }
  const payments = openPayments(config)
  try {
    const client = await payments.client()
    const [endpoints, undelivered] = await Promise.all([
      client.webhookEndpoints.list({ limit: 100 }),
      findUndelivered(client),
    ])
    const findings = [...endpointFindings(endpoints.data, webhookUrlOf(config)), ...undelivered]
    return { findings, summary: `the webhook endpoint receives ${paymentEventTypes.length} types of events` }
  } finally {
    payments.close()
  }
}

function webhookUrlOf({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/api/v1/webhooks/stripe`
}

/** Returns the findings about the endpoints of a Stripe account, of which one must have this URL. */
export function endpointFindings(
  endpoints: readonly Pick<Stripe.WebhookEndpoint, 'url' | 'status' | 'enabled_events'>[],
  url: string,
): Finding[] {
  const own = endpoints.filter(endpoint => endpoint.url.replace(/\/$/, '') === url)
  const enabled = own.filter(({ status }) => status === 'enabled')
  const sent = new Set(enabled.flatMap(({ enabled_events }) => enabled_events))
  const missing = paymentEventTypes.filter(type => !sent.has(type) && !sent.has('*'))
  return findingsOf([
    [
      own.length === 0,
      `Stripe has no webhook endpoint at ${url}: payments are credited late`,
      'Create it in the dashboard, as docs/payments.md describes, or correct BASE_URL.',
    ],
    [
      own.length > 0 && enabled.length === 0,
      'the webhook endpoint is disabled: payments are credited late',
      'Enable it in the dashboard.',
    ],
    [
      enabled.length > 0 && missing.length > 0,
      `the webhook endpoint does not receive ${missing.join(', ')}`,
      'Add these events to it in the dashboard.',
    ],
  ])
}

async function findUndelivered(client: Stripe): Promise<Finding[]> {
  const now = Math.floor(Date.now() / 1000)
  const { data } = await client.events.list({
    delivery_success: false,
    types: [...paymentEventTypes],
    created: { gte: now - recentSeconds, lte: now - deliveredAfterSeconds },
    limit: 100,
  })
  return findingsOf([
    [
      data.length > 0,
      `Stripe could not deliver ${data.length}${data.length === 100 ? ' or more' : ''} events of the last day`,
      "Compare STRIPE_WEBHOOK_SECRET with the endpoint's signing secret, and read the responses in the dashboard. npm run reconcile -- --repair applies missed events.",
    ],
  ])
}
