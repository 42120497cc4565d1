import { explainFault } from '../process/explain-fault.ts'
import { openPostgres } from './open-postgres.ts'

/** Resolves when the database that `DATABASE_URL` names answers. Throws one line when it does not. */
export async function requirePostgres({ url, name }: { url: string; name: string }): Promise<void> {
  const sql = openPostgres({ url, name, maxConnections: 1 })
  try {
    await sql`select 1`
  } catch (error) {
    throw new Error(`DATABASE_URL: ${explainFault(error)}`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}
