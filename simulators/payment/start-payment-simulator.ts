import { systemClock } from '../../platform/clock.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'
import { pages } from './pages.ts'
import type { Invoice, PaymentSettings, PaymentSimulator, SentEvent } from './payment-simulator.ts'
import { stripeApi } from './stripe-api.ts'

/** A running simulator. Its URL serves the pages, and Stripe's API at `/v1`. */
export interface RunningPaymentSimulator extends RunningServer<PaymentSimulator> {
  readonly key: string
  /** Returns the latest 1,000 events, oldest first. */
  events(): SentEvent[]
  /** Returns the invoices that are not deleted, oldest first. */
  invoices(): Invoice[]
  /** Changes the URL that events are sent to. */
  sendTo(webhookUrl: string): void
}

interface PaymentSimulatorOptions extends ListenOptions {
  key: string
  webhookUrl: string
  /** The secret that signs events: `whsec_…`. */
  webhookSecret: string
  settings?: Partial<PaymentSettings>
}

export async function startPaymentSimulator(
  options: PaymentSimulatorOptions,
): Promise<RunningPaymentSimulator> {
  const { key, webhookUrl, webhookSecret, settings } = options
  const defaults = { record: true, duplicates: 0, delayMs: 5_000, retryMs: 1_000, outage: false }
  const faults = { losesAnswers: false, failsAfterwards: false, limits: false, chargeMs: 0 }
  const api = { ...faults, taxPercent: 20, portal: true }
  const state: PaymentSimulator = {
    ...{
      key,
      webhook: { url: webhookUrl, secret: webhookSecret },
      settings: { ...defaults, ...api, ...settings },
    },
    ...{ clock: systemClock, calls: [], requestCount: 0, closing: new AbortController() },
    ...{ customers: new Map(), methods: new Map(), calculations: new Map() },
    ...{ sessions: new Map(), payments: new Map(), events: new Map(), answers: new Map() },
    ...{ invoices: new Map(), locked: new Set() },
  }
  const server = await listen(state, [stripeApi, pages], options)
  return {
    ...server,
    key,
    events: () => [...state.events.values()],
    invoices: () => [...state.invoices.values()],
    sendTo: url => {
      state.webhook.url = url
    },
    close() {
      state.closing.abort()
      return server.close()
    },
  }
}
