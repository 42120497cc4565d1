import { hash } from 'node:crypto'
import { type Api, type Exchange, type Handler, Refusal } from '../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../server/json.ts'
import { sendWhole } from '../server/send.ts'
import { expire, refund } from './act.ts'
import { type CheckoutSession, newId, nowSeconds, type PaymentSimulator } from './payment-simulator.ts'

const presentHeaders = () => ({ 'request-id': newId('req') })

/** The parts of Stripe's API that the product calls, and refunds. */
export const stripeApi: Api<PaymentSimulator> = {
  prefix: '/v1/',
  presentHeaders,
  routes: [
    { method: 'POST', path: '/v1/checkout/sessions', handle: handling(createSession) },
    {
      method: 'GET',
      path: /^\/v1\/checkout\/sessions\/(?<id>\w+)$/,
      handle: handling((state, { params }) => findSession(state, params.id).object),
    },
    {
      method: 'POST',
      path: /^\/v1\/checkout\/sessions\/(?<id>\w+)\/expire$/,
      handle: handling((state, { params }) => {
        const session = findSession(state, params.id)
        expire(state, session)
        return session.object
      }),
    },
    { method: 'POST', path: '/v1/refunds', handle: handling(createRefund) },
    { method: 'GET', path: '/v1/events', handle: handling(listEvents) },
  ],
  refuseUnknown: (method, path) => refuse(404, `Unrecognized request URL (${method}: ${path}).`),
}

type Operation = (state: PaymentSimulator, exchange: Exchange, form: JsonRecord) => JsonRecord

/** Checks the API key and runs an operation. A repeated `Idempotency-Key` gets the first answer, also if that was 500. */
function handling(operation: Operation): Handler<PaymentSimulator> {
  return async (state, exchange) => {
    const { request, path, body } = exchange
    const { authorization, 'idempotency-key': header } = request.headers
    if (authorization !== `Bearer ${state.key}`) throw refuse(401, 'Invalid API Key provided.')
    const key = request.method === 'POST' && header !== undefined ? String(header) : undefined
    const digest = hash('sha256', path + body.bytes)
    const known = key === undefined ? undefined : state.answers.get(key)
    const fails = state.settings.outage || (known && !known.body)
    if (known?.body && known.request !== digest && !fails)
      throw refuse(400, 'Keys for idempotent requests can only be used with the same parameters.', {
        type: 'idempotency_error',
      })
    const answer = fails ? undefined : (known?.body ?? operation(state, exchange, readForm(body.bytes)))
    if (key !== undefined) state.answers.set(key, { request: digest, body: answer && { ...answer } })
    if (!answer) throw refuse(500, 'An unknown error occurred.', { type: 'api_error' })
    await sendWhole(exchange, { headers: presentHeaders(), body: answer })
  }
}

/** The supported parameters. Stripe refuses unknown ones. */
const knownParameters = [
  ...['mode', 'client_reference_id', 'metadata', 'payment_intent_data', 'line_items'],
  ...['adaptive_pricing', 'success_url', 'cancel_url'],
]

/** Stripe's minimum amount, in cents. */
const minCents = 50

function createSession(state: PaymentSimulator, { request }: Exchange, form: JsonRecord): JsonRecord {
  const unknown = Object.keys(form).find(name => !knownParameters.includes(name))
  if (unknown !== undefined) throw refuseParam(unknown, `Received unknown parameter: ${unknown}`)
  if (form.mode !== 'payment') throw refuseParam('mode', 'You must provide mode: payment.')
  const item = fieldOf(form.line_items, '0')
  const price = fieldOf(item, 'price_data')
  const amountCents = Number(textOf(price, 'unit_amount')) * Number(textOf(item, 'quantity'))
  if (!Number.isSafeInteger(amountCents) || amountCents < minCents)
    throw refuseParam('line_items[0][price_data][unit_amount]', 'Invalid amount.')
  const id = newId('cs_test')
  const created = nowSeconds(state)
  const object: CheckoutSession['object'] = {
    ...{ id, object: 'checkout.session', livemode: false, mode: 'payment' },
    ...{ amount_subtotal: amountCents, amount_total: amountCents, currency: textOf(price, 'currency') },
    ...{ created, expires_at: created + 86_400, url: `http://${request.headers.host}/c/pay/${id}` },
    success_url: urlOf(form, 'success_url'),
    cancel_url: form.cancel_url === undefined ? null : urlOf(form, 'cancel_url'),
    client_reference_id: form.client_reference_id ?? null,
    metadata: form.metadata ?? {},
    ...{ status: 'open', payment_status: 'unpaid', payment_intent: null },
  }
  const productName = textOf(fieldOf(price, 'product_data'), 'name')
  state.sessions.set(id, { id, amountCents, productName, object })
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
  const payment = state.payments.get(textOf(form, 'payment_intent'))
  if (!payment) throw refuseParam('payment_intent', 'No such payment_intent.')
  const amountCents = form.amount === undefined ? payment.amountCents : Number(form.amount)
  const made = refund(state, payment, amountCents)
  if (!made) throw refuseParam('amount', 'Refund amount is greater than unrefunded amount on charge.')
  return made
}

function findSession(state: PaymentSimulator, id = ''): CheckoutSession {
  const session = state.sessions.get(id)
  if (!session) throw refuse(404, `No such checkout.session: '${id}'`)
  return session
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isRecord(value) ? value[name] : undefined
}

function textOf(value: Json | undefined, name: string): string {
  const text = fieldOf(value, name)
  if (typeof text === 'string' && text !== '') return text
  throw refuseParam(name, `Missing required param: ${name}.`)
}

function urlOf(form: JsonRecord, name: string): string {
  const text = textOf(form, name)
  if (/^https?:/.test(text) && URL.canParse(text)) return text
  throw refuseParam(name, 'Not a valid URL')
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
