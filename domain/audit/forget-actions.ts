import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Context } from '../context.ts'

/**
 * Deletes entries that are older than `AUDIT_LOG_DAYS` (docs/behaviour.md, Audit log). Resolves to the number of
 * entries.
 */
export function forgetActions(context: Pick<Context, 'sql' | 'clock' | 'config'>): Promise<number> {
  const { sql, config } = context
  return deleteInBatches(
    limit => sql`
      delete from audit_log where (account_id, id) in (
        select account_id, id from audit_log
        where created_at < ${earlierNow(context)} - make_interval(days => ${config.auditLogDays}) order by created_at limit ${limit})`,
  )
}
