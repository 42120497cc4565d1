import { createHmac } from 'node:crypto'
import type { JsonRecord } from '../server/json.ts'
import { later, newId, nowSeconds, type PaymentSimulator, type SentEvent } from './payment-simulator.ts'

/** How often an event is sent that is not taken, and what a receiver may take to answer, in milliseconds. */
const maxTries = 16
const timeoutMs = 10_000
const longestPauseMs = 60_000

/** The most events that are kept, the oldest forgotten first. */
const maxEvents = 1_000

/** Sends an event: signed, until it is answered with 2xx, and once more for each duplicate that is asked for. */
export function sendEvent(state: PaymentSimulator, type: string, object: JsonRecord): SentEvent {
  const id = newId('evt')
  const body = JSON.stringify({
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: nowSeconds(state),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  })
  const event: SentEvent = { id, type, body, statuses: [] }
  state.events.set(id, event)
  if (state.events.size > maxEvents) state.events.delete(state.events.keys().next().value!)
  for (let copy = 0; copy <= state.settings.duplicates; copy++) void deliver(state, event, 1)
  return event
}

/** Delivers an event now, and again later where it was not taken. Never throws. */
export async function deliver(state: PaymentSimulator, event: SentEvent, attempt: number): Promise<void> {
  const status = await post(state, event)
  event.statuses.push(status)
  if (state.isClosed || (status >= 200 && status < 300) || attempt >= maxTries) return
  const pauseMs = Math.min(state.settings.retryMs * 2 ** (attempt - 1), longestPauseMs)
  later(state, pauseMs, () => void deliver(state, event, attempt + 1))
}

function post(state: PaymentSimulator, { body }: SentEvent): Promise<number> {
  const { url, secret } = state.webhook
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signatureOf(body, { secret, atSeconds: nowSeconds(state) }),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks) simulator',
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).then(
    async response => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
}

/** Stripe's signature: HMAC-SHA256 of the time and the body. */
function signatureOf(body: string, { secret, atSeconds }: { secret: string; atSeconds: number }): string {
  const digest = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')
  return `t=${atSeconds},v1=${digest}`
}
