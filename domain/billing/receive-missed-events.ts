import type { Context } from '../context.ts'
import type { StripeContext } from '../stripe/find-customer.ts'
import { findMissedEvents } from './find-missed-events.ts'
import { receiveEvent } from './receive-event.ts'

/** The period that is compared, in milliseconds before now. Deliveries of the last minutes may be under way. */
const fromMs = 2 * 3_600_000
const untilMs = 2 * 60_000

/**
 * Applies Stripe's events that were not received, from two hours to two minutes ago. Resolves to
 * their number; to 0 if no card processor is configured. Throws Stripe's error if it does not answer.
 */
export async function receiveMissedEvents(context: StripeContext & Context): Promise<number> {
  if (context.config.stripeSecretKey === 'none') return 0
  const now = context.clock.now()
  const period = { since: new Date(now - fromMs), until: new Date(now - untilMs) }
  let count = 0
  for await (const event of findMissedEvents(context, period)) {
    await receiveEvent(context, event)
    count += 1
  }
  return count
}
