import { deleteInBatches } from '../../platform/postgres/delete-in-batches.ts'
import type { Context } from '../context.ts'

/** Deletes what was done longer ago than `AUDIT_LOG_DAYS` (docs/behaviour.md, Audit log). Resolves to how much. */
export function forgetActions({ sql, config }: Pick<Context, 'sql' | 'config'>): Promise<number> {
  return deleteInBatches(
    limit => sql`
      delete from audit_log where (account_id, id) in (
        select account_id, id from audit_log
        where created_at < now() - make_interval(days => ${config.auditLogDays}) order by created_at limit ${limit})`,
  )
}
