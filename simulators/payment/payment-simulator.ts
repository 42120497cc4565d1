import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { openCallLog } from '../server/calls.ts'
import type { Api, Handler, ServerSettings, ServerState } from '../server/exchange.ts'
import type { JsonRecord } from '../server/json.ts'

/** The settings that can be changed while the simulator runs. */
export interface PaymentSettings extends ServerSettings {
  /** The number of duplicates of each event. */
  duplicates: number
  /** Delay before a bank transfer succeeds or fails, in milliseconds. */
  delayMs: number
  /** Delay before a failed delivery is retried, in milliseconds; doubles with each attempt. */
  retryMs: number
  /** Whether the API answers all requests with 500. */
  outage: boolean
}

/** The state of a simulator, which every handler receives. */
export interface PaymentSimulator extends ServerState {
  readonly settings: PaymentSettings
  /** The valid API key. */
  readonly key: string
  /** The URL that events are sent to, and the secret that signs them. */
  readonly webhook: { url: string; secret: string }
  /** The URL of the simulator. */
  url: string
  readonly sessions: Map<string, CheckoutSession>
  readonly payments: Map<string, Payment>
  /** The idempotency keys of requests that failed with 500. */
  readonly failedKeys: Set<string>
  readonly events: Map<string, SentEvent>
  /** The answer by idempotency key. */
  readonly answers: Map<string, { request: string; body: JsonRecord }>
  /** The timers of pending payments and deliveries. */
  readonly timers: Set<NodeJS.Timeout>
  isClosed: boolean
}

export interface CheckoutSession {
  readonly id: string
  readonly amountCents: number
  readonly currency: string
  readonly productName: string
  readonly metadata: JsonRecord
  readonly clientReferenceId: string | null
  readonly successUrl: string
  readonly cancelUrl: string | null
  /** When it was created, in Unix seconds. */
  readonly createdSeconds: number
  status: 'open' | 'complete' | 'expired'
  paymentStatus: 'unpaid' | 'paid'
  paymentIntentId: string | null
}

export interface Payment {
  readonly id: string
  readonly amountCents: number
  readonly currency: string
  readonly metadata: JsonRecord
  readonly refunds: Refund[]
  dispute: { readonly id: string; status: 'needs_response' | 'won' } | undefined
}

export interface Refund {
  readonly id: string
  readonly amountCents: number
  status: 'succeeded' | 'failed'
}

/** An event and its deliveries. */
export interface SentEvent {
  readonly id: string
  readonly type: string
  readonly body: string
  /** The status of each delivery; 0 if there was no response. */
  readonly statuses: number[]
}

export type PaymentHandler = Handler<PaymentSimulator>
export type PaymentApi = Api<PaymentSimulator>

const defaultSettings: Readonly<PaymentSettings> = {
  latencyMs: 0,
  chunkDelayMs: 0,
  record: true,
  duplicates: 0,
  delayMs: 5_000,
  retryMs: 1_000,
  outage: false,
}

export function createPaymentSimulator(options: {
  key: string
  webhook: { url: string; secret: string }
  clock?: Clock | undefined
  settings?: Partial<PaymentSettings> | undefined
}): PaymentSimulator {
  const { key, webhook, clock = systemClock, settings = {} } = options
  return {
    clock,
    key,
    webhook: { ...webhook },
    url: '',
    settings: { ...defaultSettings, ...settings },
    calls: openCallLog(),
    failedKeys: new Set(),
    failures: new Map(),
    sessions: new Map(),
    payments: new Map(),
    events: new Map(),
    answers: new Map(),
    timers: new Set(),
    isClosed: false,
    requestCount: 0,
  }
}

/** Returns a random ID in Stripe's format. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

/** Runs work after a delay, unless the simulator is closed by then. */
export function runLater(state: PaymentSimulator, delayMs: number, work: () => void): void {
  const timer = setTimeout(() => {
    state.timers.delete(timer)
    if (!state.isClosed) work()
  }, delayMs)
  state.timers.add(timer)
}

export function nowSeconds({ clock }: Pick<PaymentSimulator, 'clock'>): number {
  return Math.floor(clock.now() / 1000)
}
