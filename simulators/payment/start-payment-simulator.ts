import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import { control } from '../server/calls.ts'
import type { SimulatorCall } from '../server/exchange.ts'
import { serve } from '../server/serve.ts'
import { pages } from './pages.ts'
import {
  createPaymentSimulator,
  type PaymentApi,
  type PaymentSettings,
  type SentEvent,
} from './payment-simulator.ts'
import { stripeApi } from './stripe-api.ts'

const apis: readonly PaymentApi[] = [control, stripeApi, pages]

export interface RunningPaymentSimulator {
  /** Where it listens: the pages, and Stripe's API below `/v1`. */
  readonly url: string
  /** The API key that it takes. */
  readonly key: string
  /** The calls of Stripe's API, live. */
  readonly calls: readonly SimulatorCall[]
  /** Every event that was sent, the oldest first. */
  events(): SentEvent[]
  /** Sends events elsewhere from now on. */
  sendTo(webhookUrl: string): void
  /** Changes any of the settings; the others stay. */
  change(settings: Partial<PaymentSettings>): void
  /** Stops listening, and sends nothing more. */
  close(): Promise<void>
}

export interface PaymentSimulatorOptions {
  /** 0 takes a free one. */
  port?: number
  host?: string
  key: string
  webhookUrl: string
  /** `whsec_…` */
  webhookSecret: string
  clock?: Clock
  settings?: Partial<PaymentSettings>
}

/** Starts a payment simulator in this process. */
export async function startPaymentSimulator(
  options: PaymentSimulatorOptions,
): Promise<RunningPaymentSimulator> {
  const { port = 0, host = '127.0.0.1', key, webhookUrl, webhookSecret, clock, settings } = options
  const webhook = { url: webhookUrl, secret: webhookSecret }
  const state = createPaymentSimulator({ key, webhook, clock, settings })
  const server = createServer(serve(state, apis))
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  state.url = `http://${host}:${typeof address === 'object' && address ? address.port : port}`
  return {
    url: state.url,
    key,
    calls: state.calls.entries,
    events: () => [...state.events.values()],
    sendTo: url => {
      state.webhook.url = url
    },
    change: changed => {
      Object.assign(state.settings, changed)
    },
    close: async () => {
      state.isClosed = true
      for (const timer of state.timers) clearTimeout(timer)
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
