import type { Clock } from '../../platform/clock.ts'
import { control } from '../server/calls.ts'
import type { SimulatorCall } from '../server/exchange.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'
import { pages } from './pages.ts'
import {
  createPaymentSimulator,
  type PaymentApi,
  type PaymentSettings,
  type SentEvent,
} from './payment-simulator.ts'
import { stripeApi } from './stripe-api.ts'

const apis: readonly PaymentApi[] = [control, stripeApi, pages]

/** A running simulator. Its URL serves the pages, and Stripe's API at `/v1`. */
export interface RunningPaymentSimulator extends RunningServer {
  readonly key: string
  /** A live view of the latest 1,000 API calls, oldest first. */
  readonly calls: readonly SimulatorCall[]
  /** Returns the latest 1,000 events, oldest first. */
  events(): SentEvent[]
  /** Changes the URL that events are sent to. */
  sendTo(webhookUrl: string): void
  /** Changes the given settings and keeps the others. */
  change(settings: Partial<PaymentSettings>): void
}

export interface PaymentSimulatorOptions extends ListenOptions {
  key: string
  webhookUrl: string
  /** The secret that signs events: `whsec_…`. */
  webhookSecret: string
  clock?: Clock
  settings?: Partial<PaymentSettings>
}

export async function startPaymentSimulator(
  options: PaymentSimulatorOptions,
): Promise<RunningPaymentSimulator> {
  const { key, webhookUrl, webhookSecret, clock, settings } = options
  const webhook = { url: webhookUrl, secret: webhookSecret }
  const state = createPaymentSimulator({ key, webhook, clock, settings })
  const server = await listen(state, apis, options)
  state.url = server.url
  return {
    url: server.url,
    key,
    calls: state.calls.entries,
    events: () => [...state.events.values()],
    sendTo: url => {
      state.webhook.url = url
    },
    change: changed => void Object.assign(state.settings, changed),
    close() {
      state.isClosed = true
      for (const timer of state.timers) clearTimeout(timer)
      return server.close()
    },
  }
}
