import type { Config } from '../../platform/config/read-config.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'

/** The two databases while requests are carried from one to the other. */
export interface LogDatabases {
  /** The main database. */
  sql: Sql
  /** The log database. */
  logs: Sql
}

/** The databases in which one request is looked up: the log database only if there is one. */
export interface RequestDatabases {
  sql: Sql
  logs?: Sql | undefined
}

/** Where the whole request log is, as a database sees it: `elsewhere` for the main database, `here` for the log database. */
export type LogPlace = 'elsewhere' | 'here'

/** Returns whether all earlier requests were copied from the main database to the log database. */
export async function isCopied(sql: Sql | SqlTransaction, place: LogPlace): Promise<boolean> {
  const [row] = await sql`select from log_database where place = ${place} and copied_at is not null`
  return row !== undefined
}

/**
 * Resolves if `LOG_DATABASE_URL` agrees with the main database: it is set if and only if requests are carried. Otherwise
 * throws one line that states what to do. The log database can be unavailable.
 */
export async function requireLogSetting(
  sql: Sql,
  { logDatabaseUrl }: Pick<Config, 'logDatabaseUrl'>,
): Promise<void> {
  const isSet = logDatabaseUrl !== 'none'
  if (isSet === (await isCopied(sql, 'elsewhere'))) return
  throw new Error(
    isSet
      ? 'LOG_DATABASE_URL: the requests of the main database were not copied there: npm run migrate'
      : 'LOG_DATABASE_URL is not set, but the requests of this database are carried to a log database: set it',
  )
}
