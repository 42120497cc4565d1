import type { Clock } from '../clock.ts'
import { earlierNow } from '../postgres/earlier-now.ts'
import type { Sql } from '../postgres/open-postgres.ts'

/**
 * Deletes jobs whose last attempt failed more than a week ago, and repeating jobs of earlier versions. Resolves to the
 * number of deleted jobs.
 */
export async function forgetFailedJobs(context: { sql: Sql; clock: Clock }): Promise<number> {
  const deleted = await context.sql`
    select j.id from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where locked_at is null and updated_at < ${earlierNow(context)} - interval '7 days'
        and (attempts >= max_attempts or key like 'repeat:%'))) j`
  return deleted.length
}
