import type { Clock } from '../clock.ts'
import type { Sql } from './open-postgres.ts'

/**
 * Returns an SQL expression for the earlier time of two clocks, Postgres's and this process's. Retention uses it, so
 * that a single clock that is ahead deletes nothing.
 */
export function earlierNow({ sql, clock }: { sql: Sql; clock: Clock }) {
  return sql`least(clock_timestamp(), ${new Date(clock.now())}::timestamptz)`
}
