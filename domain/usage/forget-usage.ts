import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import type { Context } from '../context.ts'
import { firstDayKept, readEarlierNow } from '../logs/keep-partitions.ts'

/** The tables of usage counters. */
export const usageTables = [
  'usage_totals',
  'usage_by_end_user',
  'usage_by_metadata',
  'usage_by_end_user_and_metadata',
  'usage_latencies',
  'usage_values',
  'usage_labels',
]

/**
 * Deletes the usage counters of days whose requests the log no longer holds. Resolves to how many rows went.
 */
export async function forgetUsage(context: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const { sql } = context
  const firstDay = firstDayKept(await readEarlierNow(context))
  let forgotten = 0
  for (const table of usageTables)
    forgotten += await deleteInBatches(
      limit => sql`
        delete from ${sql(table)} where ctid = any(array(
          select ctid from ${sql(table)} where day + 0 < ${firstDay}::date order by day + 0 limit ${limit}))`,
    )
  return forgotten
}
