import { dayMs } from '../../platform/clock.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import type { RequestDatabases } from './log-database.ts'

/** Log records are kept for two months (docs/behaviour.md, Management API). */
const monthsKept = 2

/** Number of days for which the main database keeps requests that are carried to a log database. */
const carriedDaysKept = 7

const daysAhead = 7

/**
 * Maintains the daily partitions of the request log: creates the partitions of the coming week by Postgres's clock,
 * and drops partitions whose last record is older than two months by the clocks of both Postgres and this process.
 * Holds locks only briefly. If it does not get a lock in time, it throws, and the next call catches up. Resolves to
 * the names of the dropped partitions.
 *
 * With `logs`, requests are carried to that database. Partitions are then dropped after seven days, once all of their
 * requests are there.
 */
export async function keepPartitions(context: RequestDatabases & Pick<Context, 'clock'>): Promise<string[]> {
  const { sql, logs } = context
  for (const day of await daysInDefault(context)) await sql.begin(transaction => moveDay(transaction, day))
  await sql.begin(async transaction => {
    await limitLockWait(transaction)
    await transaction`select ensure_log_partitions(${daysAhead})`
  })
  const now = await readEarlierNow(context)
  if (!logs) return dropDays(sql, firstDayKept(now))
  return (await isBehind(sql)) ? [] : dropDays(sql, dayOf(new Date(now - carriedDaysKept * dayMs)))
}

/** Returns whether requests wait to be carried for a minute. A check of their days would then take long. */
async function isBehind(sql: Sql): Promise<boolean> {
  const [row] =
    await sql`select from changed_requests where noted_at < clock_timestamp() - interval '1 minute' limit 1`
  return row !== undefined
}

/** Drops the partitions of days before `firstDay`, except those with requests that are not carried yet. */
async function dropDays(sql: Sql, firstDay: string): Promise<string[]> {
  const dropped: string[] = []
  for (const day of await listDays(sql)) {
    if (day >= firstDay) break
    await sql.begin(async transaction => {
      await limitLockWait(transaction)
      await transaction`lock table only request_logs in access exclusive mode`
      const [waiting] = await transaction`
        select from changed_requests n cross join unnest(n.arrived_at) arrived
        where (arrived at time zone 'UTC')::date = ${day}::date limit 1`
      if (waiting) return
      await transaction`drop table if exists ${transaction(nameOf(day))}`
      dropped.push(nameOf(day))
    })
  }
  return dropped
}

/** Returns the earlier time of Postgres's clock and this process's, in milliseconds since 1970. */
export async function readEarlierNow(context: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const [row] = await context.sql<{ now: Date }[]>`select ${earlierNow(context)} as now`
  return row?.now.getTime() ?? 0
}

/** Returns the first day, as YYYY-MM-DD in UTC, whose requests are still kept at this time. */
export function firstDayKept(nowMs: number): string {
  return dayOf(monthsBefore(nowMs, monthsKept))
}

/**
 * Returns the same day of an earlier month, or that month's last day: two months before 30 April is the end of
 * February.
 */
function monthsBefore(nowMs: number, months: number): Date {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(now.getUTCDate(), lastDay)))
}

/** Limits the wait for locks to two seconds, because a statement that waits for a lock blocks all later ones. */
async function limitLockWait(transaction: SqlTransaction): Promise<void> {
  await transaction`set local lock_timeout = '2s'`
}

/** Returns the days whose records are in the default partition, because their own partition was not created in time. */
async function daysInDefault({ sql }: Pick<Context, 'sql'>): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select distinct to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day
    from request_logs_default order by 1`
  return rows.map(row => row.day)
}

/**
 * Creates the partition of such a day and moves its records there, because a new partition must not overlap the
 * default one.
 */
async function moveDay(transaction: SqlTransaction, day: string): Promise<void> {
  await limitLockWait(transaction)
  const table = transaction(nameOf(day))
  const { from, to } = boundsOf(day)
  await transaction`lock table request_logs_default in access exclusive mode`
  const [record] =
    await transaction`select 1 from request_logs_default where created_at >= ${from} and created_at < ${to} limit 1`
  if (!record) return // another worker has moved them
  await transaction`create table ${table} (like request_logs including all)`
  await transaction`
    with moved as (
      delete from request_logs_default where created_at >= ${from} and created_at < ${to} returning *
    )
    insert into ${table} select * from moved`
  await transaction.unsafe(
    `alter table request_logs attach partition ${nameOf(day)} for values from ('${from}') to ('${to}')`,
  )
}

/** Lists the days that have a partition, as YYYY-MM-DD, the earliest first. */
export async function listDays(sql: Sql): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select to_char(to_date(right(child.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'request_logs'::regclass and child.relname ~ '^request_logs_[0-9]{8}$'
    order by 1`
  return rows.map(row => row.day)
}

/** Returns the name of a day's partition. */
export function nameOf(day: string): string {
  return `request_logs_${day.replaceAll('-', '')}`
}

/** Returns the beginning of a day's partition, and its end, which is excluded. */
export function boundsOf(day: string): { from: string; to: string } {
  const next = dayOf(new Date(Date.parse(day) + dayMs))
  return { from: `${day} 00:00:00+00`, to: `${next} 00:00:00+00` }
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
