import { hash } from 'node:crypto'
import { z } from 'zod'
import { type Api, type Exchange, type Handler, Refusal } from '../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../server/json.ts'
import { anything, readShape } from '../server/shape.ts'
import { expire, refund } from './act.ts'
import { type CheckoutSession, newId, nowSeconds, type PaymentSimulator } from './payment-simulator.ts'

/** The parts of Stripe's API that the product calls, and refunds. */
export const stripeApi: Api<PaymentSimulator> = {
  presentHeaders: () => ({ 'request-id': newId('req') }),
  routes: {
    'POST /v1/checkout/sessions': handling(createSession),
    'GET /v1/checkout/sessions/:id': handling(readSession),
    'POST /v1/checkout/sessions/:id/expire': handling(expireSession),
    'POST /v1/refunds': handling(createRefund),
    'GET /v1/events': handling(listEvents),
  },
}

type Operation = (state: PaymentSimulator, exchange: Exchange, form: JsonRecord) => JsonRecord

/** Checks the API key and runs an operation. A repeated `Idempotency-Key` gets the first answer, also if that was 500. */
function handling(operation: Operation): Handler<PaymentSimulator> {
  return (state, exchange) => {
    const { request, path, bytes } = exchange
    const { authorization, 'idempotency-key': header } = request.headers
    if (authorization !== `Bearer ${state.key}`) throw refuse(401, 'Invalid API Key provided.')
    const key = request.method === 'POST' && header !== undefined ? String(header) : undefined
    const digest = hash('sha256', path + bytes)
    const known = key === undefined ? undefined : state.answers.get(key)
    const fails = state.settings.outage || (known && !known.body)
    if (known?.body && known.request !== digest && !fails)
      throw refuse(400, 'Keys for idempotent requests can only be used with the same parameters.', {
        type: 'idempotency_error',
      })
    const answer = fails ? undefined : (known?.body ?? operation(state, exchange, readForm(bytes)))
    if (key !== undefined) state.answers.set(key, { request: digest, body: answer && { ...answer } })
    if (!answer) throw refuse(500, 'An unknown error occurred.', { type: 'api_error' })
    return { body: answer }
  }
}

const url = z.url({ protocol: /^https?$/ })
/** Stripe's minimum amount is 50 cents. */
const price = z.object({
  unit_amount: z.coerce.number().int().min(50),
  ...{ currency: z.string(), product_data: z.object({ name: z.string() }) },
})
/** The supported parameters. Stripe refuses unknown ones. */
const sessionShape = z.strictObject({
  mode: z.literal('payment'),
  line_items: z.object({ 0: z.object({ quantity: z.coerce.number().int(), price_data: price }) }),
  ...{ success_url: url, cancel_url: url.nullable().default(null) },
  client_reference_id: z.string().nullable().default(null),
  metadata: z.record(z.string(), z.string()).default({}),
  ...{ payment_intent_data: anything, adaptive_pricing: anything },
})

function createSession(state: PaymentSimulator, { origin }: Exchange, form: JsonRecord): JsonRecord {
  const { mode, line_items, ...sent } = readShape(sessionShape, form, ({ path, message }) =>
    refuseParam(path.join('.'), message),
  )
  const { quantity, price_data } = line_items[0]
  const amountCents = quantity * price_data.unit_amount
  const id = newId('cs_test')
  const created = nowSeconds(state)
  const object: CheckoutSession['object'] = {
    ...{ id, object: 'checkout.session', livemode: false, mode },
    ...{ amount_subtotal: amountCents, amount_total: amountCents, currency: price_data.currency },
    ...{ created, expires_at: created + 86_400, url: `${origin}/c/pay/${id}` },
    success_url: sent.success_url,
    cancel_url: sent.cancel_url,
    client_reference_id: sent.client_reference_id,
    metadata: sent.metadata,
    ...{ status: 'open', payment_status: 'unpaid', payment_intent: null },
  }
  state.sessions.set(id, { id, amountCents, productName: price_data.product_data.name, object })
  return object
}

/** Lists events, newest first, at most `limit`. `starting_after` is the last ID of the previous page. */
function listEvents(state: PaymentSimulator, { query }: Exchange): JsonRecord {
  const all = [...state.events.values()].toReversed()
  const from = all.findIndex(({ id }) => id === query.get('starting_after')) + 1
  const limit = Number(query.get('limit') ?? 10)
  const data = all.slice(from, from + limit).map(({ body }): Json => JSON.parse(body))
  return { object: 'list', url: '/v1/events', data, has_more: from + limit < all.length }
}

function createRefund(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const payment = state.payments.get(String(form.payment_intent))
  if (!payment) throw refuseParam('payment_intent', 'No such payment_intent.')
  const amountCents = form.amount === undefined ? payment.amountCents : Number(form.amount)
  const made = refund(state, payment, amountCents)
  if (!made) throw refuseParam('amount', 'Refund amount is greater than unrefunded amount on charge.')
  return made
}

function findSession(state: PaymentSimulator, { params: { id = '' } }: Exchange): CheckoutSession {
  const session = state.sessions.get(id)
  if (!session) throw refuse(404, `No such checkout.session: '${id}'`)
  return session
}

function readSession(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  return findSession(state, exchange).object
}

function expireSession(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  const session = findSession(state, exchange)
  expire(state, session)
  return session.object
}

function refuseParam(param: string, message: string): Refusal {
  return refuse(400, message, { param })
}

/** An error in Stripe's format. */
function refuse(
  status: number,
  message: string,
  { type = 'invalid_request_error', param }: { type?: string; param?: string } = {},
): Refusal {
  return new Refusal({ status, body: { error: { type, message, ...(param && { param }) } } })
}

/**
 * Parses a form in Stripe's format: `line_items[0][price_data][currency]=usd`. Lists become records with the names 0, 1,
 * and so on. The records have no prototype, so that any field name is safe.
 */
function readForm(body: Buffer): JsonRecord {
  const form: JsonRecord = Object.create(null)
  for (const [name, value] of new URLSearchParams(body.toString())) {
    const path = name.replaceAll(']', '').split('[')
    const last = path.pop() ?? ''
    let record = form
    for (const field of path) {
      const inner = record[field]
      record = record[field] = isRecord(inner) ? inner : Object.create(null)
    }
    record[last] = value
  }
  return form
}
