import { openPostgres, type Sql } from '../../../platform/postgres/open-postgres.ts'
import type { TestDatabase } from '../a-database.ts'

/**
 * The number of blocks of tables and indexes that Postgres reads for an action, from memory or disk: the largest number
 * of all `plans`, for the values of each statement and without knowledge of the values.
 */
export async function blocksOf(
  { url }: Pick<TestDatabase, 'url'>,
  action: (sql: Sql) => Promise<unknown>,
  plans = ['force_custom_plan', 'force_generic_plan'],
): Promise<number> {
  const read: number[] = []
  for (const mode of plans) {
    const sql = openPostgres({ url, name: 'blocks', maxConnections: 1 })
    try {
      await sql.unsafe(`set plan_cache_mode = ${mode}`)
      const before = await blocksSoFar(sql)
      await action(sql)
      read.push((await blocksSoFar(sql)) - before)
    } finally {
      await sql.end()
    }
  }
  return Math.max(...read)
}

async function blocksSoFar(sql: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  await sql`select 1`
  const [row] = await sql<{ blocks: number }[]>`
    select sum(coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0))::float8 as blocks
    from pg_statio_user_tables`
  return row?.blocks ?? 0
}
