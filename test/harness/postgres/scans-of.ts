import { openPostgres, type Sql } from '../../../platform/postgres/open-postgres.ts'
import type { TestDatabase } from '../a-database.ts'

/** The tables that an action reads, by Postgres's own count of scans, in alphabetical order. */
export async function scansOf(
  { url }: Pick<TestDatabase, 'url'>,
  action: (sql: Sql) => Promise<unknown>,
): Promise<string[]> {
  const sql = openPostgres({ url, name: 'scans', maxConnections: 1 })
  try {
    const before = await scansSoFar(sql)
    await action(sql)
    const after = await scansSoFar(sql)
    return [...after].filter(([table, scans]) => scans > (before.get(table) ?? 0n)).map(([table]) => table)
  } finally {
    await sql.end()
  }
}

async function scansSoFar(sql: Sql): Promise<Map<string, bigint>> {
  await sql`select pg_stat_force_next_flush()`
  await sql`select 1`
  const rows = await sql<{ table: string; scans: bigint }[]>`
    select relname as table, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans
    from pg_stat_user_tables order by relname`
  return new Map(rows.map(({ table, scans }) => [table, scans]))
}
