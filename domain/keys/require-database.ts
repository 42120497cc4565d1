import type { Config } from '../../platform/config/read-config.ts'
import { withPostgres } from '../../platform/migrations/require-postgres.ts'
import { pooledAddress } from '../../platform/postgres/addresses.ts'
import { requireLimits } from '../../platform/postgres/role-limits.ts'
import { openVault } from '../../platform/secrets/vault.ts'
import { requireLogSetting } from '../logs/log-database.ts'
import { requirePepper } from './pepper.ts'

/**
 * Checks the database of a process that serves requests: PostgreSQL responds and is new enough, sessions have limits, the
 * schema is not older than this version, `LOG_DATABASE_URL` agrees with it, and the API keys were created under this pepper.
 * Throws one line that states what to do.
 */
export async function requireDatabase(config: Config, name: string): Promise<void> {
  const database = { ...pooledAddress(config), name }
  await requireLimits(database)
  await withPostgres(database, async sql => {
    await requireLogSetting(sql, config)
    await requirePepper({ sql, config, vault: openVault(config.masterKeys) })
  })
}
