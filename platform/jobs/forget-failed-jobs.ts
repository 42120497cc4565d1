import type { Sql } from '../postgres/open-postgres.ts'

/** Deletes jobs that were given up a week ago. Resolves to how many. */
export async function forgetFailedJobs(sql: Sql): Promise<number> {
  const gone = await sql`
    select j.id from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where attempts >= max_attempts and locked_at is null and updated_at < now() - interval '7 days')) j`
  return gone.length
}
