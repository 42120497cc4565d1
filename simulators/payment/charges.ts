import { z } from 'zod'
import type { Exchange } from '../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../server/json.ts'
import { refund } from './act.ts'
import { cards } from './cards.ts'
import type { PaymentSimulator } from './payment-simulator.ts'
import { missing, readParams, refuse, refuseParam } from './refuse.ts'
import { takePayment } from './take-payment.ts'

const chargeShape = z.strictObject({
  amount: z.coerce.number().int().min(50),
  ...{ currency: z.string(), customer: z.string(), payment_method: z.string(), description: z.string() },
  allowed_payment_method_types: z.object({ 0: z.literal('card') }),
  ...{ confirm: z.literal('true'), off_session: z.literal('true') },
  metadata: z.record(z.string(), z.string()).default({}),
  hooks: z.object({ inputs: z.object({ tax: z.object({ calculation: z.string() }) }) }).optional(),
})

/** Charges a saved card without its holder. */
export function charge(state: PaymentSimulator, { origin }: Exchange, form: JsonRecord): JsonRecord {
  const sent = readParams(chargeShape, form)
  const method = state.methods.get(sent.payment_method)
  if (method?.customer !== sent.customer)
    throw refuseParam('payment_method', `No such PaymentMethod: '${sent.payment_method}'`, 'resource_missing')
  const calculation = sent.hooks?.inputs.tax.calculation
  if (calculation !== undefined && state.calculations.get(calculation) !== sent.amount)
    throw refuseParam('hooks[inputs][tax][calculation]', 'The amount differs from the tax calculation.')
  const { error } = cards.get(String(method.card.last4)) ?? {}
  const { intent } = takePayment(state, {
    ...{ amountCents: sent.amount, currency: sent.currency, customer: sent.customer, method },
    ...{ metadata: sent.metadata, origin, error },
  })
  if (error)
    throw refuse(402, String(error.message), { ...error, type: 'card_error', payment_intent: intent })
  return intent
}

export function readCharge(state: PaymentSimulator, { params: { id = '' } }: Exchange): JsonRecord {
  const payment = state.payments.get(id)
  if (!payment) throw missing('payment_intent', id)
  return payment.intent
}

/** Lists the charges of a customer, newest first. */
export function listCharges(state: PaymentSimulator, { query }: Exchange): JsonRecord {
  const since = Number(query.get('created[gte]') ?? 0)
  const data = [...state.payments.values()]
    .map(({ intent }) => intent)
    .filter(({ customer, created }) => customer === query.get('customer') && Number(created) >= since)
    .reverse()
  return { object: 'list', url: '/v1/payment_intents', data, has_more: false }
}

/** Lists events, newest first, at most `limit`. `starting_after` is the last ID of the previous page. */
export function listEvents(state: PaymentSimulator, { query }: Exchange): JsonRecord {
  const all = [...state.events.values()].toReversed().filter(({ body }) => {
    const event: Json = JSON.parse(body)
    const created = isRecord(event) ? Number(event.created) : 0
    return (
      created >= Number(query.get('created[gte]') ?? 0) &&
      created <= Number(query.get('created[lte]') ?? Infinity)
    )
  })
  const from = all.findIndex(({ id }) => id === query.get('starting_after')) + 1
  const limit = Number(query.get('limit') ?? 10)
  const data = all.slice(from, from + limit).map(({ body }): Json => JSON.parse(body))
  return { object: 'list', url: '/v1/events', data, has_more: from + limit < all.length }
}

export function createRefund(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const payment = state.payments.get(String(form.payment_intent))
  if (!payment) throw refuseParam('payment_intent', 'No such payment_intent.')
  const amountCents = form.amount === undefined ? payment.amountCents : Number(form.amount)
  const made = refund(state, payment, amountCents)
  if (!made) throw refuseParam('amount', 'Refund amount is greater than unrefunded amount on charge.')
  return made
}
