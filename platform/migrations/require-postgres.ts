import { type Database, openPostgres, reachPostgres, type Sql } from '../postgres/open-postgres.ts'
import { compareSchema } from './compare-schema.ts'
import { schemaFolder } from './read-schema.ts'

/**
 * Resolves if the database at `DATABASE_URL` answers, is new enough and has the schema of this version, or one of a newer
 * version that works with this one. Otherwise throws an error whose one line contains the remedy.
 */
export async function requirePostgres(database: Database): Promise<void> {
  await reachPostgres(database, sql => refuseOtherSchema(sql))
}

/**
 * Runs work on one connection to a migrated database, and closes it afterwards. Throws the errors of `requirePostgres`
 * and of `work`.
 */
export async function withPostgres(database: Database, work: (sql: Sql) => Promise<void>): Promise<void> {
  await requirePostgres(database)
  const sql = openPostgres({ ...database, maxConnections: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Throws one line if the database lacks migrations or statements of `schema`, or is too new for it. */
export async function refuseOtherSchema(sql: Sql, schema = schemaFolder): Promise<void> {
  const [found] = await sql<{ is_known: boolean }[]>`select to_regclass('migrations') is not null as is_known`
  if (!found?.is_known) throw new Error('the database has no tables of Rubicon: npm run migrate')
  const { pending, unknown } = await compareSchema(sql, schema)
  const missing = [...pending, ...unknown]
  const [first] = missing
  if (!first) return
  throw new Error(
    `the database is older than this version (it lacks ${missing.length} changes, first ${first.name}): npm run migrate`,
  )
}
