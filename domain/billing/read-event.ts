import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { Payments } from '../stripe/open-payments.ts'
import { parseEvent } from './parse-event.ts'
import type { PaymentEvent } from './payment-event.ts'

/**
 * Maximum difference, in seconds, between our clock and the time in a delivery's signature, either way. Stripe signs
 * each retry again. An event that is made later than that is refused too, because it would override later events.
 */
const toleranceSeconds = 300

/**
 * Reads an event from the raw body and its signature. Throws `webhook_refused` if it is not signed with our secret, is
 * too old or from the future, or has an unknown shape. Throws `top_up_closed` if no card processor is configured.
 */
export async function readEvent(
  { config, clock, payments }: Pick<Context, 'config' | 'clock'> & { payments: Payments },
  { body, signature }: { body: Buffer; signature: string },
): Promise<PaymentEvent> {
  const { webhooks } = await payments.client()
  const secret = config.stripeWebhookSecret
  if (secret === '') throw new Problem('webhook_refused')
  try {
    const signed = webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, clock.now())
    const event = parseEvent(signed)
    requirePast(clock.now(), signedAtMs(signature), event.createdAt.getTime())
    return event
  } catch (cause) {
    const internal = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new Problem('webhook_refused', { cause, internal })
  }
}

/** The time in a signature that was verified: `t=1700000000,v1=…`. */
function signedAtMs(signature: string): number {
  return Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]) * 1000
}

/** Stripe's client refuses a delivery that is too old, but accepts one from the future. */
function requirePast(nowMs: number, ...momentsMs: number[]): void {
  if (momentsMs.every(moment => moment <= nowMs + toleranceSeconds * 1000)) return
  throw new Error('The event, or its signature, is from the future')
}
