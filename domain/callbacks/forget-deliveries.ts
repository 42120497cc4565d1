import type { Context } from '../context.ts'

/** As long as the request log (docs/callbacks.md, When the receiver fails). */
const keptDays = 62
const batchRows = 5_000

/** Deletes deliveries, with their tries, that are older than two months, batch by batch. Resolves to how many. */
export async function forgetDeliveries({ sql }: Pick<Context, 'sql'>): Promise<number> {
  let count = 0
  while (true) {
    const gone = await sql`
      delete from deliveries where (account_id, id) in (
        select account_id, id from deliveries
        where created_at < clock_timestamp() - make_interval(days => ${keptDays}) and state <> 'pending'
        order by created_at limit ${batchRows} for update skip locked)`
    count += gone.count
    if (gone.count < batchRows) break
  }
  await sql`delete from callback_secrets where ends_at < clock_timestamp()`
  return count
}
