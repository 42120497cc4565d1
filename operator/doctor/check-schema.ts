import { isCopied, requireLogSetting } from '../../domain/logs/log-database.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { compareSchema } from '../../platform/migrations/compare-schema.ts'
import { schemaFolder } from '../../platform/migrations/read-schema.ts'
import { refuseOtherSchema } from '../../platform/migrations/require-postgres.ts'
import { logAddress } from '../../platform/postgres/addresses.ts'
import { reachPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { counted } from '../counted.ts'
import { findingsOf, type Result } from './check.ts'

/** Compares the database with the migrations and functions of this version. Throws one line if this version cannot use it. */
export async function checkMigrations(sql: Sql): Promise<Result> {
  const { pending, changed, newer } = await compareSchema(sql, schemaFolder)
  const findings = findingsOf([
    [
      pending.length > 0,
      `${counted(pending.length, 'migration')} pending, first ${pending[0]?.name}`,
      'Run npm run migrate.',
    ],
    [
      pending.length === 0 && changed.length > 0,
      `${counted(changed.length, 'function')} with another text than in this version, first ${changed[0]?.name}`,
      'Run npm run migrate with the newest version that is running.',
    ],
  ])
  const ahead = newer.length > 0 ? `, ${newer.length} of a newer version with which this one works` : ''
  return { findings, summary: `all applied${ahead}` }
}

/** Number of days, with today, whose partitions must exist. A worker creates them seven days ahead, each hour. */
const days = 6

/** Checks that the request log has the daily partitions of the coming days. */
export async function checkPartitions(sql: Sql): Promise<Result> {
  const missing = await sql<{ name: string }[]>`
    select name from generate_series(0, ${days}) day
    cross join lateral (
      select 'request_logs_' || to_char((clock_timestamp() at time zone 'UTC')::date + day, 'YYYYMMDD') as name) partition
    where to_regclass(name) is null order by name`
  const findings = findingsOf([
    [
      missing.length > 0,
      `the request log has no partition ${missing[0]?.name}`,
      'Start a worker, which creates partitions each hour, and read its log for failures of keep-log-partitions.',
    ],
  ])
  return { findings, summary: `request log covered for ${days} days` }
}

/** Age of a request that is not carried yet at which it is reported, in minutes. */
const maxWaitMinutes = 1

/** Checks that the log database answers, has the copied log and the current schema, and that no request waits for long. */
export async function checkLogDatabase(sql: Sql, config: Config): Promise<Result> {
  await requireLogSetting(sql, config)
  const address = logAddress(config)
  if (!address) return { skipped: 'LOG_DATABASE_URL is none' }
  const hasLog = await reachPostgres({ ...address, name: 'doctor' }, async logs => {
    await refuseOtherSchema(logs)
    return isCopied(logs, 'here')
  })
  const [waiting] = await sql<{ notes: number; minutes: number }[]>`
    select count(*)::int as notes,
      coalesce((extract(epoch from clock_timestamp() - min(noted_at)) / 60)::int, 0) as minutes
    from changed_requests`
  const { notes, minutes } = waiting!
  const findings = findingsOf([
    [
      !hasLog,
      'LOG_DATABASE_URL leads to a database to which the log was not copied',
      'Correct LOG_DATABASE_URL, or run npm run migrate, which copies what the main database has.',
    ],
    [
      minutes > maxWaitMinutes,
      `requests wait for up to ${minutes} minutes to be carried to the log database`,
      "Start a worker, or read the workers' logs for failures of carry-requests.",
    ],
  ])
  return { findings, summary: `${counted(notes, 'note')} of requests to carry` }
}
