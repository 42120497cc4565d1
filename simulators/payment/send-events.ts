import Stripe from 'stripe'
import type { JsonRecord } from '../server/json.ts'
import { newId, nowSeconds, type PaymentSimulator, type SentEvent, wait } from './payment-simulator.ts'

/** Maximum number of delivery attempts per event. */
const maxAttempts = 16
const timeoutMs = 10_000
const maxDelayMs = 60_000

/** Maximum number of stored events. */
const maxEvents = 1_000

/** Sends a signed event and its duplicates. `previous` has the former values of changed fields. Retries until the response is 2xx. */
export function sendEvent(
  state: PaymentSimulator,
  type: string,
  object: JsonRecord,
  previous?: JsonRecord,
): void {
  const id = newId('evt')
  const body = JSON.stringify({
    ...{ id, object: 'event', api_version: '2026-10-28.endive', created: nowSeconds(state) },
    ...{
      data: { object, ...(previous && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: 1,
    },
    ...{ request: { id: null, idempotency_key: null }, type },
  })
  const event: SentEvent = { id, type, body, statuses: [] }
  state.events.set(id, event)
  if (state.events.size > maxEvents) state.events.delete(state.events.keys().next().value!)
  const closed = () => {} // then nothing is delivered
  for (let copy = 0; copy <= state.settings.duplicates; copy++)
    deliverUntilAccepted(state, event).catch(closed)
}

async function deliverUntilAccepted(state: PaymentSimulator, event: SentEvent): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (await deliver(state, event)) return
    await wait(state, Math.min(state.settings.retryMs * 2 ** attempt, maxDelayMs))
  }
}

/** Delivers an event once. Returns whether the response was 2xx. Never throws. */
export async function deliver(state: PaymentSimulator, event: SentEvent): Promise<boolean> {
  const status = await post(state, event).catch(() => 0)
  event.statuses.push(status)
  return status >= 200 && status < 300
}

async function post(state: PaymentSimulator, { body }: SentEvent): Promise<number> {
  const { url, secret } = state.webhook
  const signed = { payload: body, secret, timestamp: nowSeconds(state) }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': Stripe.webhooks.generateTestHeaderString(signed),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks) simulator',
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.arrayBuffer().catch(() => undefined)
  return response.status
}
