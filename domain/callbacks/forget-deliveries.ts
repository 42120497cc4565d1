import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Context } from '../context.ts'

/** Retention of deliveries: as long as the request log's (docs/callbacks.md, When the receiver fails). */
const keptDays = 62

/**
 * Deletes deliveries that are older than two months, with their attempts, batch by batch. Resolves to the number of
 * deliveries.
 */
export async function forgetDeliveries(context: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const { sql } = context
  const count = await deleteInBatches(
    limit => sql`
      delete from deliveries where (account_id, id) in (
        select account_id, id from deliveries
        where created_at < ${earlierNow(context)} - make_interval(days => ${keptDays}) and state <> 'pending'
        order by created_at limit ${limit} for update skip locked)`,
  )
  await sql`delete from receivers where proven_at is null and hour_at < ${earlierNow(context)} - interval '1 day'`
  await sql`delete from callback_secrets where ends_at < ${earlierNow(context)}`
  return count
}
