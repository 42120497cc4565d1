import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import type { Context } from '../context.ts'
import { isCopied, type LogDatabases } from './log-database.ts'

/** Number of requests from which on a batch takes no further note. A request has about 1 KB. */
const batchRequests = 2_000

/** Maximum number of notes of a batch. */
const batchNotes = 500

/** Time after which a run begins no further batch, in milliseconds. The next run continues. */
const maxRunMs = 60_000

/**
 * Carries the requests that were logged or changed since the last run to the log database, in batches, the earliest
 * first. Resolves to the number of requests that the log database did not have in this state. A batch is one transaction
 * of the log database; then the main database forgets which requests it had. If the process dies in between, the batch is
 * repeated and changes nothing.
 */
export async function carryRequests(databases: LogDatabases & Pick<Context, 'clock'>): Promise<number> {
  const { sql, clock } = databases
  const endsAt = clock.monotonic() + maxRunMs
  let written = 0
  while (clock.monotonic() < endsAt) {
    const batch = await carryLocked(databases, () => readBatch(databases))
    written += batch.written
    if (batch.numbers.length === 0) break
    await sql`delete from changed_requests where number = any(${batch.numbers}::bigint[])`
  }
  return written
}

/** Requests of the main database as a JSON array of rows, or null if there are none. */
export interface CarriedRequests {
  requests: string | null
}

/**
 * Reads requests and writes them into the log database, while no other process does so. Otherwise, a process that froze
 * after it read them could write old versions over newer ones. Throws if this is not the database to which the earlier requests
 * were copied, unless `isCopying`.
 */
export async function carryLocked<Read extends CarriedRequests>(
  { logs }: LogDatabases,
  read: () => Promise<Read>,
  { isCopying = false } = {},
): Promise<Read & { written: number }> {
  let batch: Read | undefined
  const written = await logs.begin(async transaction => {
    await lockCarrying(transaction)
    if (!isCopying && !(await isCopied(transaction, 'here')))
      throw new Error(
        'LOG_DATABASE_URL does not lead to the database with the copied requests: npm run migrate',
      )
    // Without its code, because the loss of another connection is not a loss of this one.
    batch = await read().catch(cause => {
      throw new Error(`DATABASE_URL: ${explainFault(cause)}`, { cause })
    })
    if (batch.requests === null) return 0
    const [row] = await transaction<{ written: number }[]>`
      select carry_requests(${batch.requests}::text::json) as written`
    return row?.written ?? 0
  })
  return { ...batch!, written }
}

/** Waits until no process carries requests, and keeps others from it until the transaction ends. */
export async function lockCarrying(transaction: SqlTransaction): Promise<void> {
  await transaction`select pg_advisory_xact_lock(hashtext('carry_requests'))`
}

/** Reads the next batch: the present rows of noted requests, and the numbers of their notes. */
async function readBatch({ sql }: LogDatabases): Promise<CarriedRequests & { numbers: string[] }> {
  const [batch] = await sql<(CarriedRequests & { numbers: string[] | null })[]>`
    with noted as materialized (
      select number, account_ids, arrived_at, ids from (
        select *, sum(cardinality(ids)) over (order by number) - cardinality(ids) as earlier from (
          select * from changed_requests order by number limit ${batchNotes}) oldest
      ) counted where earlier < ${batchRequests}
    )
    select (select array_agg(number::text) from noted) as numbers, (
      select json_agg(l) from (
        select distinct c.account_id, c.arrived_at, c.id
        from noted n cross join unnest(n.account_ids, n.arrived_at, n.ids) c (account_id, arrived_at, id)
      ) c cross join lateral (
        select * from request_logs r
        where r.account_id = c.account_id and r.created_at = c.arrived_at and r.id = c.id offset 0
      ) l)::text as requests`
  return { requests: batch?.requests ?? null, numbers: batch?.numbers ?? [] }
}
