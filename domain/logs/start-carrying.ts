import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { isLockTimeout } from '../../platform/postgres/transient-errors.ts'
import type { Context } from '../context.ts'
import { type CarriedRequests, carryLocked } from './carry-requests.ts'
import { boundsOf, keepPartitions, listDays, nameOf } from './keep-partitions.ts'
import { isCopied, type LogDatabases, type LogPlace } from './log-database.ts'

/** Number of requests that one transaction copies. */
const batchRequests = 2_000

/**
 * Begins to carry the requests of the main database to the log database: from now on, changed requests are noted. Then
 * copies all earlier requests, while the system runs. Safe to repeat: a copy that ended early starts again and writes only
 * what is missing. Resolves to the number of copied requests; undefined if they were copied before.
 */
export async function startCarrying(
  databases: LogDatabases & Pick<Context, 'clock'>,
): Promise<number | undefined> {
  const { sql, logs, clock } = databases
  if ((await isCopied(sql, 'elsewhere')) && (await isCopied(logs, 'here'))) return undefined
  await refuseOtherUse(databases)
  await noteChanges(sql)
  await keepPartitions({ sql: logs, clock })
  let copied = 0
  for (const day of await listDays(sql)) {
    await createDay(logs, day)
    copied += await copyFrom(databases, nameOf(day))
  }
  copied += await copyFrom(databases, 'request_logs_default')
  await markCopied(logs, 'here')
  await markCopied(sql, 'elsewhere')
  return copied
}

/** Throws one line if the log database is the main database, or the main database of another system. */
async function refuseOtherUse({ sql, logs }: LogDatabases): Promise<void> {
  const nameIn = async (database: Sql) => {
    const [row] = await database<{ name: string }[]>`
      select current_database() || pg_postmaster_start_time()::text as name`
    return row?.name
  }
  const isOne = (await nameIn(sql)) === (await nameIn(logs))
  const [account] = await logs`select from accounts limit 1`
  if (isOne || account) throw new Error('LOG_DATABASE_URL must lead to a separate database without accounts')
}

/** Delay before the lock of the request log is tried again, in milliseconds, and the maximum number of tries. */
const retry = { delayMs: 1_000, tries: 60 }

/** Creates the triggers that note changes. Charges wait for at most half a second, because the triggers lock the table. */
async function noteChanges(sql: Sql): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await sql.begin(async transaction => {
        await transaction`set local lock_timeout = '500ms'`
        await transaction`insert into log_database (place) values ('elsewhere') on conflict do nothing`
        await transaction`
          create or replace trigger request_logged after insert on request_logs referencing new table as changed
            for each statement execute function note_changed_requests()`
        await transaction`
          create or replace trigger request_changed after update on request_logs referencing new table as changed
            for each statement execute function note_changed_requests()`
      })
    } catch (error) {
      if (!isLockTimeout(error) || tried === retry.tries) throw error
      await sleep(retry.delayMs)
    }
  }
}

/** Creates the partition of a day, unless it exists. */
async function createDay(logs: Sql, day: string): Promise<void> {
  const { from, to } = boundsOf(day)
  await logs.unsafe(
    `create table if not exists ${nameOf(day)} partition of request_logs for values from ('${from}') to ('${to}')`,
  )
}

/** The last request of a batch. */
interface Place {
  account: string
  at: string
  id: string
}

/** Copies a partition in the order of its primary key. */
async function copyFrom(databases: LogDatabases, partition: string): Promise<number> {
  const { sql } = databases
  let copied = 0
  for (let after: Place | undefined; ; ) {
    const read = async () => {
      const [batch] = await sql<(CarriedRequests & { last: Place | null })[]>`
        with page as materialized (
          select * from ${sql(partition)} ${
            after
              ? sql`where (account_id, created_at, id) > (${after.account}::uuid, ${after.at}::timestamptz, ${after.id})`
              : sql``
          } order by account_id, created_at, id limit ${batchRequests}
        )
        select (select json_agg(p) from page p)::text as requests, (
          select json_build_object('account', account_id, 'at', created_at::text, 'id', id) from page
          order by account_id desc, created_at desc, id desc limit 1) as last`
      return batch ?? { requests: null, last: null }
    }
    const batch = await carryLocked(databases, read, { isCopying: true })
    copied += batch.written
    if (!batch.last) return copied
    after = batch.last
  }
}

async function markCopied(sql: Sql, place: LogPlace): Promise<void> {
  await sql`
    insert into log_database (place, copied_at) values (${place}, now())
    on conflict (place) do update set copied_at = excluded.copied_at`
}
