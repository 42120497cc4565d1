import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import type { Context } from '../context.ts'

/** Deletes tasks that ended two months ago, as the log of requests is kept, batch by batch. Resolves to how many. */
export function forgetTasks({ sql }: Pick<Context, 'sql'>): Promise<number> {
  return deleteInBatches(
    limit => sql`
      delete from tasks where (account_id, id) in (
        select account_id, id from tasks where finished_at < now() - interval '2 months'
        order by finished_at limit ${limit})`,
  )
}
