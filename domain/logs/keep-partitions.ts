import { dayMs } from '../../platform/clock.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** Log records are kept for two months (docs/behaviour.md, Management API). */
const monthsKept = 2
const daysAhead = 7

/**
 * Maintains the daily partitions of the request log: creates the partitions of the coming week by Postgres's clock,
 * and drops partitions whose last record is older than two months by the clocks of both Postgres and this process.
 * Holds locks only briefly. If it does not get a lock in time, it throws, and the next call catches up. Resolves to
 * the names of the dropped partitions.
 */
export async function keepPartitions(context: Pick<Context, 'sql' | 'clock'>): Promise<string[]> {
  const { sql } = context
  for (const day of await daysInDefault(context)) await sql.begin(transaction => moveDay(transaction, day))
  await sql.begin(async transaction => {
    await limitLockWait(transaction)
    await transaction`select ensure_log_partitions(${daysAhead})`
  })
  const dropped = await partitionsBefore(context, firstDayKept(await readEarlierNow(context)))
  for (const name of dropped) {
    await sql.begin(async transaction => {
      await limitLockWait(transaction)
      await transaction`drop table if exists ${transaction(name)}`
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
  const [from, to] = [`${day} 00:00:00+00`, `${dayOf(new Date(Date.parse(day) + dayMs))} 00:00:00+00`]
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

async function partitionsBefore({ sql }: Pick<Context, 'sql'>, day: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'request_logs'::regclass and child.relname ~ '^request_logs_[0-9]{8}$'
      and child.relname < ${nameOf(day)}
    order by 1`
  return rows.map(row => row.name)
}

function nameOf(day: string): string {
  return `request_logs_${day.replaceAll('-', '')}`
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
