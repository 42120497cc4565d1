import { join } from 'node:path'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { systemClock } from '../../platform/clock.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { checkout } from '../home/open-home.ts'

/** Migrates the database and applies the catalogue. Resolves to the names of the migrations that it lacked. */
export async function prepareDatabase(url: string, catalogue: Catalogue): Promise<string[]> {
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    const applied = await migrate(sql, join(checkout, 'schema'))
    await applyCatalogue({ sql, clock: systemClock }, catalogue)
    return applied
  } finally {
    await sql.end({ timeout: 1 })
  }
}
