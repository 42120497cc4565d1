import { z } from 'zod'
import type { Exchange } from '../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../server/json.ts'
import { refund } from './act.ts'
import { cards } from './cards.ts'
import { nowSeconds, type Payment, type PaymentMethod, type PaymentSimulator } from './payment-simulator.ts'
import { missing, missingCustomer, readParams, refuse, refuseParam } from './refuse.ts'
import { confirmPayment, openPayment } from './take-payment.ts'

const chargeShape = z.strictObject({
  amount: z.coerce.number().int().min(50).max(99_999_999),
  ...{ currency: z.string(), customer: z.string(), payment_method: z.string(), description: z.string() },
  allowed_payment_method_types: z.object({ 0: z.literal('card') }),
  metadata: z.record(z.string(), z.string()).default({}),
  hooks: z.object({ inputs: z.object({ tax: z.object({ calculation: z.string() }) }) }).optional(),
})

/** Creates a charge of a saved card, which is not confirmed yet. */
export function createCharge(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const sent = readParams(chargeShape, form)
  const { amount, currency, customer, metadata } = sent
  if (!state.customers.has(customer)) throw missingCustomer(customer)
  const method = methodOf(state, sent.payment_method, customer)
  const calculation = sent.hooks?.inputs.tax.calculation
  if (calculation !== undefined && state.calculations.get(calculation)?.amount_total !== amount)
    throw refuseParam('hooks[inputs][tax][calculation]', 'The amount differs from the tax calculation.')
  return openPayment(state, { amountCents: amount, currency, customer, method, metadata }).intent
}

const confirmShape = z.strictObject({ payment_method: z.string(), off_session: z.literal('true') })

/** Charges a saved card without its holder. A charge is confirmed until it has succeeded or is cancelled. */
export function confirmCharge(
  state: PaymentSimulator,
  { origin, params: { id = '' } }: Exchange,
  form: JsonRecord,
): JsonRecord {
  const payment = findPayment(state, id)
  const { payment_method } = readParams(confirmShape, form)
  requireOpen(payment, 'confirm')
  const method = methodOf(state, payment_method, payment.intent.customer)
  const { error } = cards.get(String(method.card.last4)) ?? {}
  confirmPayment(state, payment, { method, origin, error })
  const { intent } = payment
  if (!error) return intent
  throw refuse(402, String(error.message), { ...error, type: 'card_error', payment_intent: intent })
}

const cancelShape = z.strictObject({})

/** Cancels a charge, which can never be confirmed again. */
export function cancelCharge(
  state: PaymentSimulator,
  { params: { id = '' } }: Exchange,
  form: JsonRecord,
): JsonRecord {
  const payment = findPayment(state, id)
  readParams(cancelShape, form)
  requireOpen(payment, 'cancel')
  return Object.assign(payment.intent, { status: 'canceled', canceled_at: nowSeconds(state) })
}

/** Stripe refuses to confirm or cancel a charge that has succeeded or was cancelled. */
function requireOpen({ intent }: Payment, verb: string): void {
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') return
  const message = `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`
  throw refuse(400, message, { code: 'payment_intent_unexpected_state', payment_intent: intent })
}

function methodOf(state: PaymentSimulator, id: string, customer: string | null): PaymentMethod {
  const method = state.methods.get(id)
  if (method && customer !== null && method.customer === customer) return method
  throw refuseParam('payment_method', `No such PaymentMethod: '${id}'`, 'resource_missing')
}

function findPayment(state: PaymentSimulator, id: string): Payment {
  const payment = state.payments.get(id)
  if (!payment) throw missing('payment_intent', id)
  return payment
}

export function readCharge(state: PaymentSimulator, { params: { id = '' } }: Exchange): JsonRecord {
  return findPayment(state, id).intent
}

/** Lists events, newest first, at most `limit`. `starting_after` is the last ID of the previous page. */
export function listEvents(state: PaymentSimulator, { query }: Exchange): JsonRecord {
  const undelivered = query.get('delivery_success') === 'false'
  const all = [...state.events.values()].toReversed().filter(({ body, statuses }) => {
    const event: Json = JSON.parse(body)
    const created = isRecord(event) ? Number(event.created) : 0
    return (
      !(undelivered && statuses.some(status => status >= 200 && status < 300)) &&
      created >= Number(query.get('created[gte]') ?? 0) &&
      created <= Number(query.get('created[lte]') ?? Infinity)
    )
  })
  const from = all.findIndex(({ id }) => id === query.get('starting_after')) + 1
  const limit = Number(query.get('limit') ?? 10)
  const data = all.slice(from, from + limit).map(({ body }): Json => JSON.parse(body))
  return { object: 'list', url: '/v1/events', data, has_more: from + limit < all.length }
}

/** Lists the URL that events are sent to, as the account's only endpoint. */
export function listEndpoints({ webhook: { url } }: PaymentSimulator): JsonRecord {
  const endpoint = { id: 'we_1', object: 'webhook_endpoint', url, status: 'enabled', enabled_events: ['*'] }
  return { object: 'list', url: '/v1/webhook_endpoints', data: [endpoint], has_more: false }
}

export function createRefund(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const payment = state.payments.get(String(form.payment_intent))
  if (!payment) throw refuseParam('payment_intent', 'No such payment_intent.')
  const amountCents = form.amount === undefined ? payment.amountCents : Number(form.amount)
  const made = refund(state, payment, amountCents)
  if (!made) throw refuseParam('amount', 'Refund amount is greater than unrefunded amount on charge.')
  return made
}
