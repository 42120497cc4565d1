import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerState } from '../server/exchange.ts'
import type { JsonRecord } from '../server/json.ts'

/** The settings that can be changed while the simulator runs. */
export interface PaymentSettings {
  readonly record: boolean
  /** The number of duplicates of each event. */
  duplicates: number
  /** Delay before a bank transfer succeeds or fails, in milliseconds. */
  delayMs: number
  /** Delay before a failed delivery is retried, in milliseconds; doubles with each attempt. */
  retryMs: number
  /** Whether the API answers all requests with 500. */
  outage: boolean
  /** Whether the API does what is requested and closes the connection without an answer. */
  losesAnswers: boolean
  /** Whether the API does what is requested and answers with 500. */
  failsAfterwards: boolean
  /** Whether the API answers all requests with 429. */
  limits: boolean
  /** Delay before a charge is confirmed, in milliseconds. Meanwhile, other operations on the charge are answered with 429. */
  chargeMs: number
  /** The tax on every amount, in percent. */
  taxPercent: number
  /** Whether the billing portal is configured. */
  portal: boolean
}

/** The state of a simulator, which every handler receives. */
export interface PaymentSimulator extends ServerState {
  readonly settings: PaymentSettings
  /** The valid API key. */
  readonly key: string
  /** The URL that events are sent to, and the secret that signs them. */
  readonly webhook: { url: string; secret: string }
  readonly customers: Map<string, JsonRecord>
  readonly methods: Map<string, PaymentMethod>
  /** Calculations of tax by their ID, in Stripe's format. */
  readonly calculations: Map<string, JsonRecord>
  readonly sessions: Map<string, CheckoutSession>
  readonly payments: Map<string, Payment>
  readonly invoices: Map<string, Invoice>
  readonly events: Map<string, SentEvent>
  /** The answer by idempotency key. Without a body, the request failed with 500. */
  readonly answers: Map<string, StoredAnswer>
  /** The IDs of charges that are being confirmed. */
  readonly locked: Set<string>
  /** Stops pending payments and deliveries when the simulator closes. */
  readonly closing: AbortController
}

export interface StoredAnswer {
  readonly request: string
  readonly status: number
  readonly body: JsonRecord | undefined
}

/** A saved card, in Stripe's format. */
export type PaymentMethod = JsonRecord & { id: string; customer: string | null; card: JsonRecord }

/** A Checkout session, and its object in Stripe's format. */
export interface CheckoutSession {
  readonly id: string
  /** The amount with tax. */
  readonly amountCents: number
  readonly taxCents: number
  readonly productName: string
  /** The metadata of the payment and of the invoice. */
  readonly paymentMetadata: JsonRecord
  readonly savesMethod: boolean
  readonly hasInvoice: boolean
  readonly collectsBilling: boolean
  readonly object: JsonRecord & {
    readonly mode: 'payment' | 'setup'
    readonly currency: string
    readonly customer: string | null
    readonly success_url: string
    readonly cancel_url: string | null
    status: 'open' | 'complete' | 'expired'
    payment_status: 'unpaid' | 'paid' | 'no_payment_required'
    payment_intent: string | null
    url: string | null
  }
}

/** A payment. Its payment intent, its refunds and its dispute are objects in Stripe's format. */
export interface Payment {
  readonly id: string
  readonly amountCents: number
  readonly currency: string
  readonly intent: JsonRecord & {
    readonly id: string
    status: string
    readonly customer: string | null
    readonly metadata: JsonRecord
  }
  readonly refunds: (JsonRecord & { readonly amount: number; status: 'succeeded' | 'failed' })[]
  dispute: (JsonRecord & { status: 'needs_response' | 'won' }) | undefined
  /** Whether the payment has paid an invoice. */
  isInvoiced: boolean
}

/** An invoice, in Stripe's format. */
export type Invoice = JsonRecord & {
  id: string
  currency: string
  customer: string | null
  metadata: JsonRecord
  total: number
  lines: { object: 'list'; data: JsonRecord[]; has_more: false }
  status: 'draft' | 'open' | 'paid' | 'void'
}

export interface SentEvent {
  readonly id: string
  readonly type: string
  readonly body: string
  /** The status of each delivery; 0 if there was no response. */
  readonly statuses: number[]
}

/** Returns a random ID in Stripe's format. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

/** Waits for a delay. Throws an `AbortError` when the simulator closes. */
export function wait({ closing: { signal } }: PaymentSimulator, delayMs: number): Promise<void> {
  return sleep(delayMs, undefined, { signal })
}

export function nowSeconds({ clock }: Pick<PaymentSimulator, 'clock'>): number {
  return Math.floor(clock.now() / 1000)
}
