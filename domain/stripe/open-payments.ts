import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type Stripe from 'stripe'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'

/** The card processor. */
export interface Payments {
  /** Returns the client, which is loaded at its first use. Throws `top_up_closed` if no key is configured. */
  client(): Promise<Stripe>
  close(): void
}

/** Timeout of a request to Stripe, in milliseconds, and the number of retries. */
const timeoutMs = 5_000
const maxNetworkRetries = 1

/** Opens the configured card processor. Loads and connects nothing yet. */
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
