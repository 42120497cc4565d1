import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Context } from '../context.ts'

/**
 * Deletes the events of Stripe that are older than `PAYMENT_EVENT_DAYS` (docs/payments.md). Their effects on
 * payments, refunds, disputes and credits remain, and a repeated delivery changes nothing. Resolves to the number of
 * events.
 */
export function forgetEvents(context: Pick<Context, 'sql' | 'clock' | 'config'>): Promise<number> {
  const { sql, config } = context
  return deleteInBatches(
    limit => sql`
      delete from payment_events where id in (
        select id from payment_events
        where received_at < ${earlierNow(context)} - make_interval(days => ${config.paymentEventDays})
        order by received_at limit ${limit})`,
  )
}
