import { startCarrying } from '../../../domain/logs/start-carrying.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Sql } from '../../../platform/postgres/open-postgres.ts'
import { aDatabase, type TestDatabase } from '../a-database.ts'

/** A log database to which the requests of a main database are carried from now on. The caller closes it. */
export async function aLogDatabase(sql: Sql): Promise<TestDatabase> {
  const database = await aDatabase()
  await startCarrying({ sql, logs: database.sql, clock: systemClock })
  return database
}
