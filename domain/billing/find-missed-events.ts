import type { Context } from '../context.ts'
import type { Payments } from '../stripe/open-payments.ts'
import { parseEvent, paymentEventTypes } from './parse-event.ts'
import type { PaymentEvent } from './payment-event.ts'

/** Number of events that one statement compares with the database. */
const batch = 100

/**
 * Yields Stripe's events of a period that we act on and never received, oldest last. `receiveEvent` applies them.
 * Throws Stripe's error if it does not answer, and `top_up_closed` if no card processor is configured.
 */
export async function* findMissedEvents(
  { sql, payments }: Pick<Context, 'sql'> & { payments: Payments },
  { since, until }: { since: Date; until: Date },
): AsyncGenerator<PaymentEvent> {
  const client = await payments.client()
  const created = { gte: secondsOf(since), lte: secondsOf(until) }
  for (let after: string | undefined; ; ) {
    const page = await client.events.list({
      created,
      types: [...paymentEventTypes],
      limit: batch,
      ...(after !== undefined && { starting_after: after }),
    })
    const ids = page.data.map(({ id }) => id)
    const rows = await sql<{ id: string }[]>`select id from payment_events where id = any (${ids})`
    const received = new Set(rows.map(({ id }) => id))
    for (const listed of page.data) {
      const event = received.has(listed.id) ? undefined : parseEvent(listed)
      if (event?.content) yield event
    }
    after = ids.at(-1)
    if (!page.has_more || after === undefined) return
  }
}

function secondsOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
