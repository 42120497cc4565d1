import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { reachPostgres } from '../../platform/postgres/require-postgres.ts'
import type { Home } from '../home/open-home.ts'
import type { Keeper } from '../processes/keeper.ts'
import { startPostgres } from '../services/start-postgres.ts'

/** A server that the system uses, and where it comes from. */
export interface ChosenService {
  url: string
  /** For the summary: `embedded`, `DATABASE_URL`, … */
  origin: string
}

/**
 * The PostgreSQL to use: the one that `DATABASE_URL` names, else the embedded one, with a database `rubicon`.
 * Throws one line when it does not answer.
 */
export async function choosePostgres(
  keeper: Keeper,
  options: { env: NodeJS.ProcessEnv; home: Home; port: number; rank: number },
): Promise<ChosenService> {
  const { env, home, port, rank } = options
  if (env.DATABASE_URL) {
    await reachPostgres({ url: env.DATABASE_URL, name: 'dev-start' })
    return { url: env.DATABASE_URL, origin: 'DATABASE_URL' }
  }
  const server = await keeper.keep('PostgreSQL', rank, () => startPostgres({ folder: home.postgres, port }))
  await createDatabase(server.urlOf('postgres'), 'rubicon')
  const origin = server.folder === home.postgres ? 'embedded' : `embedded, kept in ${server.folder}`
  return { url: server.urlOf('rubicon'), origin }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    const [known] = await sql`select 1 from pg_database where datname = ${name}`
    if (!known) await sql`create database ${sql(name)}`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
