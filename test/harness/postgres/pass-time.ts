import type { Sql, SqlTransaction } from '../../../platform/postgres/open-postgres.ts'

/** Lets time pass for callbacks and for jobs that wait, as if `interval` (e.g. `5 minutes`) went by at once. */
export async function passTime(sql: Sql, interval: string): Promise<void> {
  await whileSendersWait(sql, async tx => {
    await tx`update deliveries set due_at = due_at - ${interval}::interval where due_at is not null`
    await tx`
      update graphile_worker._private_jobs set run_at = run_at - ${interval}::interval where locked_at is null`
  })
}

/** Deletes the deliveries whose receiver is like `pattern`. */
export async function dropDeliveries(sql: Sql, pattern: string): Promise<void> {
  await whileSendersWait(sql, tx => tx`delete from deliveries where receiver like ${pattern}`)
}

/**
 * Runs `change` while no sender holds a delivery or a job. A sender locks the rows of its receiver in an order of its
 * own, so a statement over the rows of all receivers could end in a deadlock.
 */
async function whileSendersWait(sql: Sql, change: (sql: SqlTransaction) => Promise<unknown>): Promise<void> {
  await sql.begin(async tx => {
    await tx`lock table deliveries, graphile_worker._private_jobs in share row exclusive mode`
    await change(tx)
  })
}
