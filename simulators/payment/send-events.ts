import { createHmac } from 'node:crypto'
import type { JsonRecord } from '../server/json.ts'
import { newId, nowSeconds, type PaymentSimulator, runLater, type SentEvent } from './payment-simulator.ts'

/** Maximum number of delivery attempts per event. */
const maxAttempts = 16
const timeoutMs = 10_000
const maxDelayMs = 60_000

/** Maximum number of stored events. */
const maxEvents = 1_000

/** Sends a signed event and its duplicates. Retries until the response is 2xx. */
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

/** Delivers an event, and schedules a retry if the delivery fails. Never throws. */
export async function deliver(state: PaymentSimulator, event: SentEvent, attempt: number): Promise<void> {
  const status = await post(state, event)
  event.statuses.push(status)
  if (state.isClosed || (status >= 200 && status < 300) || attempt >= maxAttempts) return
  const delayMs = Math.min(state.settings.retryMs * 2 ** (attempt - 1), maxDelayMs)
  runLater(state, delayMs, () => void deliver(state, event, attempt + 1))
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

/** Returns Stripe's signature: HMAC-SHA256 of the time and the body. */
function signatureOf(body: string, { secret, atSeconds }: { secret: string; atSeconds: number }): string {
  const digest = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')
  return `t=${atSeconds},v1=${digest}`
}
