import type { Sql } from '../../../platform/postgres/open-postgres.ts'

/** Lets time pass for callbacks and for jobs that wait, as if `interval` (e.g. `5 minutes`) went by at once. */
export async function passTime(sql: Sql, interval: string): Promise<void> {
  await sql.begin(async sql => {
    await sql`update deliveries set due_at = due_at - ${interval}::interval where due_at is not null`
    await sql`
      update graphile_worker._private_jobs set run_at = run_at - ${interval}::interval where locked_at is null`
  })
}
