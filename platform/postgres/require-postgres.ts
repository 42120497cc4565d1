import { explainFault } from '../process/explain-fault.ts'
import { openPostgres } from './open-postgres.ts'

interface Database {
  url: string
  /** Who asks. */
  name: string
}

/**
 * Resolves when the database that `DATABASE_URL` names answers and was migrated. Throws one line when not.
 */
export async function requirePostgres(database: Database): Promise<void> {
  if (await isMigrated(database)) return
  throw new Error('DATABASE_URL: the database has no tables of ours yet: npm run migrate')
}

/** Resolves when it answers, migrated or not. Throws one line when it does not. */
export async function reachPostgres(database: Database): Promise<void> {
  await isMigrated(database)
}

async function isMigrated({ url, name }: Database): Promise<boolean> {
  const sql = openPostgres({ url, name, maxConnections: 1 })
  try {
    const [found] = await sql<{ known: boolean }[]>`select to_regclass('migrations') is not null as known`
    return found?.known ?? false
  } catch (error) {
    throw new Error(`DATABASE_URL: ${explainFault(error)}`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}
