import { z } from 'zod'
import type { Exchange } from '../server/exchange.ts'
import type { JsonRecord } from '../server/json.ts'
import { anything } from '../server/shape.ts'
import { expire } from './act.ts'
import { taxOf } from './customers.ts'
import { type CheckoutSession, newId, nowSeconds, type PaymentSimulator } from './payment-simulator.ts'
import { missing, missingCustomer, readParams } from './refuse.ts'

const url = z.url({ protocol: /^https?$/ })
const metadata = z.record(z.string(), z.string()).default({})
const enabled = z.strictObject({ enabled: z.literal('true') }).optional()

/** Stripe's minimum amount is 50 cents. */
const price = z.strictObject({
  unit_amount: z.coerce.number().int().min(50),
  ...{ currency: z.string(), product_data: z.object({ name: z.string() }) },
  tax_behavior: z.literal('exclusive').optional(),
})

const paid = z.strictObject({
  mode: z.literal('payment'),
  line_items: z.object({ 0: z.object({ quantity: z.coerce.number().int(), price_data: price }) }),
  ...{
    success_url: url,
    cancel_url: url.nullable().default(null),
    customer: z.string().nullable().default(null),
  },
  client_reference_id: z.string().nullable().default(null),
  ...{ metadata, adaptive_pricing: anything, automatic_tax: enabled, tax_id_collection: enabled },
  payment_intent_data: z
    .strictObject({ metadata, setup_future_usage: z.literal('off_session').optional() })
    .default({ metadata: {} }),
  invoice_creation: z.strictObject({ enabled: z.literal('true'), invoice_data: anything }).optional(),
  billing_address_collection: z.literal('required').optional(),
  customer_update: z.strictObject({ name: z.literal('auto'), address: z.literal('auto') }).optional(),
})

const setup = z.strictObject({
  ...{ mode: z.literal('setup'), customer: z.string() },
  allowed_payment_method_types: z.object({ 0: z.literal('card') }),
  ...{ success_url: url, cancel_url: url.nullable().default(null) },
  billing_address_collection: z.literal('required').optional(),
})

/** The supported parameters. Stripe refuses unknown ones. */
const sessionShape = z.discriminatedUnion('mode', [paid, setup])

export function createSession(state: PaymentSimulator, { origin }: Exchange, form: JsonRecord): JsonRecord {
  const sent = readParams(sessionShape, form)
  if (sent.customer !== null && !state.customers.has(sent.customer)) throw missingCustomer(sent.customer)
  const id = newId('cs_test')
  const session = sent.mode === 'payment' ? paymentSession(state, id, sent) : setupSession(id, sent)
  const created = nowSeconds(state)
  Object.assign(session.object, { created, expires_at: created + 86_400, url: `${origin}/c/pay/${id}` })
  state.sessions.set(id, session)
  return session.object
}

function paymentSession(state: PaymentSimulator, id: string, sent: z.output<typeof paid>): CheckoutSession {
  const { quantity, price_data } = sent.line_items[0]
  const { currency, product_data } = price_data
  const subtotalCents = quantity * price_data.unit_amount
  const taxCents = sent.automatic_tax ? taxOf(state, subtotalCents) : 0
  const amountCents = subtotalCents + taxCents
  return {
    ...{ id, amountCents, taxCents, productName: product_data.name },
    paymentMetadata: sent.payment_intent_data.metadata,
    savesMethod: sent.payment_intent_data.setup_future_usage !== undefined,
    hasInvoice: sent.invoice_creation !== undefined,
    collectsBilling: sent.customer_update !== undefined,
    object: {
      ...{ id, object: 'checkout.session', livemode: false, mode: 'payment', currency, url: null },
      ...{ amount_subtotal: subtotalCents, amount_total: amountCents, customer: sent.customer },
      total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: taxCents },
      ...{ success_url: sent.success_url, cancel_url: sent.cancel_url, metadata: sent.metadata },
      client_reference_id: sent.client_reference_id,
      ...{ status: 'open', payment_status: 'unpaid', payment_intent: null, invoice: null },
    },
  }
}

function setupSession(id: string, sent: z.output<typeof setup>): CheckoutSession {
  const { customer, success_url, cancel_url } = sent
  return {
    ...{ id, amountCents: 0, taxCents: 0, productName: 'Save a card', paymentMetadata: {} },
    ...{ savesMethod: true, hasInvoice: false, collectsBilling: false },
    object: {
      ...{
        id,
        object: 'checkout.session',
        livemode: false,
        mode: 'setup',
        currency: 'usd',
        customer,
        url: null,
      },
      ...{ amount_subtotal: null, amount_total: null, total_details: null, success_url, cancel_url },
      ...{ metadata: {}, client_reference_id: null, payment_intent: null, setup_intent: newId('seti') },
      ...{ status: 'open', payment_status: 'no_payment_required', invoice: null },
    },
  }
}

function findSession(state: PaymentSimulator, { params: { id = '' } }: Exchange): CheckoutSession {
  const session = state.sessions.get(id)
  if (!session) throw missing('checkout.session', id)
  return session
}

export function readSession(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  return findSession(state, exchange).object
}

export function expireSession(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  const session = findSession(state, exchange)
  expire(state, session)
  return session.object
}
