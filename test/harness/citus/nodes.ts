import { openPostgres, type Sql } from '../../../platform/postgres/open-postgres.ts'

/** The nodes of the Citus cluster that the tests use, coordinator first. Empty without CITUS_URLS. */
export function citusNodes(): string[] {
  return (process.env.CITUS_URLS ?? '').split(',').filter(url => url !== '')
}

/** Runs something on a connection to each node, one after the other. */
export async function onEach(
  nodes: readonly string[],
  run: (sql: Sql, url: string) => Promise<unknown>,
): Promise<void> {
  for (const url of nodes) await withConnection(url, sql => run(sql, url))
}

/** Runs something on a connection to a database. */
export async function withConnection(url: string, run: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = openPostgres({ url, name: 'test-admin', maxConnections: 1, statementTimeoutMs: 0 })
  try {
    await run(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Drops a database. Citus may connect to it again at any moment, so the drop is tried up to five times. */
export async function dropDatabase(sql: Sql, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.unsafe(`drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}
