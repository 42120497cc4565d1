import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type Stripe from 'stripe'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'

/** The card processor. */
export interface Payments {
  /** Its client, loaded when it is first needed. Throws `top_up_closed` where no key is set. */
  client(): Promise<Stripe>
  close(): void
}

/** What Stripe may take to answer, in milliseconds, and how often a request is sent again. */
const timeoutMs = 5_000
const maxNetworkRetries = 1

/** Opens the card processor that the settings name. Nothing is loaded or connected yet. */
export function openPayments({
  stripeSecretKey,
  stripeUrl,
}: Pick<Config, 'stripeSecretKey' | 'stripeUrl'>): Payments {
  const address = new URL(stripeUrl || 'https://api.stripe.com')
  const protocol = address.protocol === 'http:' ? 'http' : 'https'
  const httpAgent = new (protocol === 'http' ? HttpAgent : HttpsAgent)({ keepAlive: true })
  let opened: Promise<Stripe> | undefined
  const open = async () => {
    const { default: StripeClient } = await import('stripe')
    return new StripeClient(stripeSecretKey, {
      httpAgent,
      protocol,
      host: address.hostname,
      port: address.port || (protocol === 'http' ? 80 : 443),
      timeout: timeoutMs,
      maxNetworkRetries,
      telemetry: false,
    })
  }
  return {
    async client() {
      if (stripeSecretKey === 'none') throw new Problem('top_up_closed')
      opened ??= open()
      return opened
    },
    close: () => httpAgent.destroy(),
  }
}
