import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { ReportedTask } from './make-tasks.ts'

/** A task as the books have it. */
export interface BookedTask {
  id: string
  status: string
  costNanos: bigint | null
  /** Charges, less what was refunded. */
  entries: number
}

/** Compares the tasks that clients saw with the rows in Postgres after all have ended. Returns every difference in words. */
export async function checkTasks(
  sql: Sql,
  accountId: string,
  told: readonly ReportedTask[],
): Promise<string[]> {
  const rows = await sql<BookedTask[]>`
    select k.id, k.status, k.cost_nanos as "costNanos",
      (select coalesce(sum(case payment_method when 'usage' then 1 else -1 end), 0)::int from transactions t
        where t.account_id = k.account_id and t.request_id = k.request_id) as entries
    from tasks k where k.account_id = ${accountId}`
  return compareTasks(new Map(rows.map(row => [row.id, row])), told)
}

/** The same of what was read. */
export function compareTasks(
  booked: ReadonlyMap<string, BookedTask>,
  told: readonly ReportedTask[],
): string[] {
  const byKey = Map.groupBy(
    told.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    ({ idempotencyKey }) => idempotencyKey,
  )
  return [
    ...[...booked.values()].flatMap(faultOf),
    ...told.flatMap(one => differenceOf(one, booked.get(one.id))),
    ...[...byKey]
      .filter(([, tasks]) => new Set(tasks.map(({ id }) => id)).size > 1)
      .map(([key]) => `two tasks under the Idempotency-Key ${key}`),
  ]
}

function faultOf({ id, status, costNanos, entries }: BookedTask): string[] {
  if (!['success', 'failed', 'cancelled'].includes(status)) return [`${id} has not ended: ${status}`]
  const isCharged = status === 'success' && costNanos !== null && costNanos > 0n
  return entries === (isCharged ? 1 : 0) ? [] : [`${id} is ${status}, with ${entries} entries in the ledger`]
}

/** A final state that a client saw never changes. */
function differenceOf({ id, told }: ReportedTask, row: BookedTask | undefined): string[] {
  if (!row) return [`${id} was submitted, and is not there`]
  const status = row.status === 'cancelled' ? 'failed' : row.status
  if (told !== 'pending' && told !== status) return [`${id} was told to be ${told}, and is ${row.status}`]
  return told === 'success' && row.costNanos === 0n ? [`${id} was made for nothing`] : []
}
