import postgres from 'postgres'
import { explainFault } from '../process/explain-fault.ts'
import { arrayTypes } from './array-types.ts'
import { keepAliveSeconds, serverKeepAlive } from './keep-alive.ts'
import { openPool } from './open-pool.ts'
import { faultOfSchema, faultOfVersion } from './server-faults.ts'

/** A postgres.js client whose `bigint` columns are `bigint` values. */
export type Sql = postgres.Sql<{ bigint: bigint }>

/** The client inside `sql.begin`. */
export type SqlTransaction = postgres.TransactionSql<{ bigint: bigint }>

const connectTimeoutSeconds = 3

/**
 * Time beyond the server's own limit for which a response is awaited, in milliseconds. Then the connection counts as lost,
 * because a network may drop packets silently.
 */
const silenceMs = 5_000

/**
 * Maximum idle time within a transaction, in milliseconds. Then it is rolled back, because others wait for its locks.
 */
const idleInTransactionMs = 5_000

/**
 * Opens a pool, of ten connections by default. With `maxConnections: 1`, statements run in order, and each is sent
 * without waiting for the previous one. `onStatement` receives the text of each. A statement on a lost connection is
 * rejected, even if it may have been executed.
 */
export function openPostgres(options: {
  url: string
  name: string
  maxConnections?: number
  /** Maximum time of a statement in the server, in milliseconds. Unlimited by default. */
  statementTimeoutMs?: number | undefined
  /** Maximum wait for a row that another transaction has locked, in milliseconds. Unlimited by default. */
  lockTimeoutMs?: number
  /** Whether the server plans a statement for its values each time. A plan for any values may read a whole table. */
  plansForValues?: boolean
  onStatement?: ((statement: string) => void) | undefined
  /** Called when a connection is lost. */
  onLost?: () => void
}): Sql {
  const { url, name, maxConnections = 10, statementTimeoutMs, lockTimeoutMs, onStatement } = options
  const driver = {
    idle_timeout: 0,
    connect_timeout: connectTimeoutSeconds,
    keep_alive: keepAliveSeconds,
    max_lifetime: null,
    types: { ...arrayTypes, bigint: postgres.BigInt },
    connection: {
      application_name: name,
      ...serverKeepAlive,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
      ...(lockTimeoutMs && { lock_timeout: lockTimeoutMs }),
      ...(options.plansForValues && { plan_cache_mode: 'force_custom_plan' }),
    },
    fetch_types: false,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, statement: string) => onStatement(statement) }),
  }
  return openPool({
    url,
    driver,
    maxConnections,
    silenceMs: statementTimeoutMs && statementTimeoutMs + silenceMs,
    onLost: options.onLost,
  })
}

interface Database {
  url: string
  /** The name of the process, for `application_name`. */
  name: string
}

/**
 * Resolves if the database at `DATABASE_URL` answers, is new enough and has the schema of this version. Otherwise
 * throws an error whose one line contains the remedy.
 */
export async function requirePostgres(database: Database): Promise<void> {
  await queryServer(database, async sql => (await faultOfVersion(sql)) ?? (await faultOfSchema(sql)))
}

/**
 * Runs a command's work on one connection to a migrated database, and closes it afterwards. Throws the errors of
 * `requirePostgres` and of `work`.
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

/**
 * Resolves if the server answers and is new enough, even if it is not migrated. Otherwise throws an error with one
 * line.
 */
export async function reachPostgres(database: Database): Promise<void> {
  await queryServer(database, faultOfVersion)
}

/** Throws an error with one line if `findFault` returns a fault or the server does not answer. */
async function queryServer(
  { url, name }: Database,
  findFault: (sql: Sql) => Promise<string | undefined>,
): Promise<void> {
  const sql = openPostgres({ url, name, maxConnections: 1 })
  try {
    const fault = await findFault(sql)
    if (fault) throw new Error(fault)
  } catch (error) {
    throw new Error(`DATABASE_URL: ${explainFault(error)}`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}
