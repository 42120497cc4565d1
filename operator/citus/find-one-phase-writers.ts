import type { Sql } from '../../platform/postgres/open-postgres.ts'

/**
 * Finds in the catalogue of a migrated database the functions that write to these distributed tables without
 * `commit_in_two_phases`. Returns their names in order.
 */
export async function findOnePhaseWriters(sql: Sql, distributed: readonly string[]): Promise<string[]> {
  const writes = `(insert into|update|delete from|merge into)\\s+(only\\s+)?(public\\.)?(${distributed.join('|')})\\M`
  const rows = await sql<{ name: string }[]>`
    select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and prosrc ~* ${writes} and prosrc !~ 'perform commit_in_two_phases\\(\\);'
    order by proname collate "C"`
  return rows.map(({ name }) => name)
}
