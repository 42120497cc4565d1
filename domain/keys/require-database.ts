import type { Config } from '../../platform/config/read-config.ts'
import { openPostgres, requirePostgres } from '../../platform/postgres/open-postgres.ts'
import { openVault } from '../../platform/secrets/vault.ts'
import { requirePepper } from './pepper.ts'

/**
 * Checks the database of a process that serves requests: PostgreSQL responds and is new enough, the schema is not older
 * than this version, and the API keys were created under this pepper. Throws one line that states what to do.
 */
export async function requireDatabase(config: Config, name: string): Promise<void> {
  const database = { url: config.databaseUrl, name }
  await requirePostgres(database)
  const sql = openPostgres({ ...database, maxConnections: 1 })
  try {
    await requirePepper({ sql, config, vault: openVault(config.masterKeys) })
  } finally {
    await sql.end({ timeout: 1 })
  }
}
