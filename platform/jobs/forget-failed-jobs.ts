import type { Clock } from '../clock.ts'
import { earlierNow } from '../postgres/earlier-now.ts'
import type { Sql } from '../postgres/open-postgres.ts'

/**
 * Deletes jobs that failed for the last time a week ago, and repeating jobs that an earlier version left behind. Returns
 * their number.
 */
export async function forgetFailedJobs(context: { sql: Sql; clock: Clock }): Promise<number> {
  const gone = await context.sql`
    select j.id from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where locked_at is null and updated_at < ${earlierNow(context)} - interval '7 days'
        and (attempts >= max_attempts or key like 'repeat:%'))) j`
  return gone.length
}
