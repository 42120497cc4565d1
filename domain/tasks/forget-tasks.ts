import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Context } from '../context.ts'

/** Deletes tasks that ended two months ago, in batches, like the request log. Resolves to the number of tasks. */
export function forgetTasks(context: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const { sql } = context
  return deleteInBatches(
    limit => sql`
      delete from tasks where (account_id, id) in (
        select account_id, id from tasks where finished_at < ${earlierNow(context)} - interval '2 months'
        order by finished_at limit ${limit})`,
  )
}
