import { hash } from 'node:crypto'
import {
  type Answer,
  type Api,
  ConnectionCut,
  type Exchange,
  type Handler,
  Refusal,
} from '../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../server/json.ts'
import {
  cancelCharge,
  confirmCharge,
  createCharge,
  createRefund,
  listEndpoints,
  listEvents,
  readCharge,
} from './charges.ts'
import {
  calculateTax,
  createCustomer,
  detachMethod,
  openPortal,
  readCalculation,
  readCustomer,
} from './customers.ts'
import {
  addLines,
  attachPayment,
  createInvoice,
  deleteInvoice,
  finalizeInvoice,
  readInvoice,
  voidInvoice,
} from './invoices.ts'
import { newId, type PaymentSimulator, type StoredAnswer, wait } from './payment-simulator.ts'
import { readForm } from './read-form.ts'
import { refuse } from './refuse.ts'
import { createSession, expireSession, readSession } from './sessions.ts'

/** The parts of Stripe's API that the product calls, and refunds. */
export const stripeApi: Api<PaymentSimulator> = {
  presentHeaders: () => ({ 'request-id': newId('req') }),
  routes: {
    'POST /v1/checkout/sessions': handling(createSession),
    'GET /v1/checkout/sessions/:id': handling(readSession),
    'POST /v1/checkout/sessions/:id/expire': handling(expireSession),
    'POST /v1/customers': handling(createCustomer),
    'GET /v1/customers/:id': handling(readCustomer),
    'POST /v1/payment_methods/:id/detach': handling(detachMethod),
    'POST /v1/payment_intents': handling(createCharge),
    'GET /v1/payment_intents/:id': handling(readCharge),
    'POST /v1/payment_intents/:id/confirm': handling(confirmCharge),
    'POST /v1/payment_intents/:id/cancel': handling(cancelCharge),
    'POST /v1/tax/calculations': handling(calculateTax),
    'GET /v1/tax/calculations/:id': handling(readCalculation),
    'POST /v1/invoices': handling(createInvoice),
    'GET /v1/invoices/:id': handling(readInvoice),
    'DELETE /v1/invoices/:id': handling(deleteInvoice),
    'POST /v1/invoices/:id/add_lines': handling(addLines),
    'POST /v1/invoices/:id/finalize': handling(finalizeInvoice),
    'POST /v1/invoices/:id/attach_payment': handling(attachPayment),
    'POST /v1/invoices/:id/void': handling(voidInvoice),
    'POST /v1/billing_portal/sessions': handling(openPortal),
    'POST /v1/refunds': handling(createRefund),
    'GET /v1/events': handling(listEvents),
    'GET /v1/webhook_endpoints': handling(listEndpoints),
  },
}

type Operation = (state: PaymentSimulator, exchange: Exchange, form: JsonRecord) => JsonRecord

/**
 * Checks the API key and runs an operation. A repeated `Idempotency-Key` gets the first answer, also if that was 402 or
 * 500; a repetition while the first request is still running gets 409.
 */
function handling(operation: Operation): Handler<PaymentSimulator> {
  return async (state, exchange) => {
    const { request, path, bytes, params } = exchange
    const { settings, answers, locked } = state
    const { authorization, 'idempotency-key': header } = request.headers
    if (authorization !== `Bearer ${state.key}`) throw refuse(401, 'Invalid API Key provided.')
    if (settings.limits) throw refuse(429, 'Too many requests.', { code: 'rate_limit' })
    const key = request.method === 'POST' && header !== undefined ? String(header) : undefined
    const digest = hash('sha256', path + bytes)
    const known = key === undefined ? undefined : answers.get(key)
    if (known?.status === 409)
      throw refuse(409, 'There is currently another in-progress request using this Idempotent Key.')
    if (known?.body && known.request !== digest && !settings.outage)
      throw refuse(400, 'Keys for idempotent requests can only be used with the same parameters.', {
        type: 'idempotency_error',
      })
    const { id = '' } = params
    if (!known && request.method === 'POST' && locked.has(id))
      throw refuse(429, 'This object cannot be accessed right now.', { code: 'lock_timeout' })
    if (!known && operation === confirmCharge && settings.chargeMs > 0) {
      if (key !== undefined) answers.set(key, { request: digest, status: 409, body: undefined })
      locked.add(id)
      await wait(state, settings.chargeMs)
      locked.delete(id)
    }
    const answer = settings.outage ? failed(digest) : (known ?? run(operation, state, exchange))
    const stored = settings.failsAfterwards && !known ? failed(digest) : { ...answer, request: digest }
    if (key !== undefined) answers.set(key, stored)
    if (!stored.body) throw refuse(500, 'An unknown error occurred.', { type: 'api_error' })
    return settings.losesAnswers ? lost() : { status: stored.status, body: stored.body }
  }
}

function failed(request: string): StoredAnswer {
  return { request, status: 500, body: undefined }
}

/** Runs an operation. Its answer is copied, because objects change later. Stripe stores declines under the key as well. */
function run(operation: Operation, state: PaymentSimulator, exchange: Exchange): StoredAnswer {
  try {
    const body = operation(state, exchange, readForm(exchange.bytes))
    return { request: '', status: 200, body: structuredClone(body) }
  } catch (error) {
    const body =
      error instanceof Refusal && error.answer.status === 402 ? asRecord(error.answer.body) : undefined
    if (!body) throw error
    return { request: '', status: 402, body: structuredClone(body) }
  }
}

function asRecord(body: unknown): JsonRecord | undefined {
  const json: Json = JSON.parse(JSON.stringify(body))
  return isRecord(json) ? json : undefined
}

/** Closes the connection instead of an answer. */
function lost(): Answer {
  return {
    frames: (function* () {
      yield ''
      throw new ConnectionCut()
    })(),
  }
}
