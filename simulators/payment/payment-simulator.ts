import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { openCallLog } from '../server/calls.ts'
import type { Api, Handler, ServerSettings, ServerState } from '../server/exchange.ts'
import type { JsonRecord } from '../server/json.ts'

/** What a test or an operator may change while the simulator runs. */
export interface PaymentSettings extends ServerSettings {
  /** How often each event is sent once more than needed. */
  duplicates: number
  /** After how long a payment by bank comes or fails, in milliseconds. */
  delayMs: number
  /** The pause before an event that was not taken is sent again, in milliseconds; it doubles with every try. */
  retryMs: number
  /** Whether the API answers everything with an error, as in an outage. */
  outage: boolean
}

/** The state of one simulator: plain data that every handler is given. */
export interface PaymentSimulator extends ServerState {
  readonly settings: PaymentSettings
  /** The one API key that is taken. */
  readonly key: string
  /** Where events go, and what they are signed with. */
  readonly webhook: { url: string; secret: string }
  /** Where the simulator listens. */
  url: string
  readonly sessions: Map<string, CheckoutSession>
  readonly payments: Map<string, Payment>
  /** Idempotency keys of requests that were answered with a 500. */
  readonly failedKeys: Set<string>
  readonly events: Map<string, SentEvent>
  /** What was answered under each `Idempotency-Key`. */
  readonly answers: Map<string, { request: string; body: JsonRecord }>
  /** Timers of payments and deliveries to come. */
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
  /** Unix seconds. */
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
  dispute: { readonly id: string; status: 'needs_response' | 'won' | 'lost' } | undefined
}

export interface Refund {
  readonly id: string
  readonly amountCents: number
  status: 'succeeded' | 'failed'
}

/** An event, and how its deliveries went. */
export interface SentEvent {
  readonly id: string
  readonly type: string
  readonly body: string
  /** The status of each delivery; 0 where nobody answered. */
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

/** An id as Stripe writes them; no two starts of the simulator make the same one. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

/** Does something later, unless the simulator is closed by then. */
export function later(state: PaymentSimulator, delayMs: number, work: () => void): void {
  const timer = setTimeout(() => {
    state.timers.delete(timer)
    if (!state.isClosed) work()
  }, delayMs)
  state.timers.add(timer)
}

export function nowSeconds({ clock }: Pick<PaymentSimulator, 'clock'>): number {
  return Math.floor(clock.now() / 1000)
}
