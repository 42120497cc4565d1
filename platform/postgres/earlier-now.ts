import type { Clock } from '../clock.ts'
import type { Sql } from './open-postgres.ts'

/**
 * Returns the earlier time of two clocks, Postgres's and this process's, as an SQL expression. Retention deletes what is
 * past by both: one clock that is ahead deletes nothing.
 */
export function earlierNow({ sql, clock }: { sql: Sql; clock: Clock }) {
  return sql`least(clock_timestamp(), ${new Date(clock.now())}::timestamptz)`
}
