import postgres from 'postgres'
import { explainFault } from '../process/explain-fault.ts'
import { isLost } from './transient-errors.ts'

/** A postgres.js client whose `bigint` columns are `bigint` values. */
export type Sql = postgres.Sql<{ bigint: bigint }>

/** Inside `sql.begin`. */
export type SqlTransaction = postgres.TransactionSql<{ bigint: bigint }>

/** A server that is back is found within so long: the driver's own pauses grow to 20 s. */
const reconnectSeconds = 0.15
const connectTimeoutSeconds = 3

/**
 * A process that stands still in mid-transaction loses it after so long: others wait for what it has locked.
 */
const idleInTransactionMs = 5_000

/**
 * Opens a pool. With `maxConnections: 1` statements run in the order in which they are given, each sent
 * without waiting for the one before. `onStatement` is told the text of each.
 */
export function openPostgres(options: {
  url: string
  name: string
  maxConnections?: number
  /** False saves a query with each connection, for a client that binds no arrays. */
  bindsArrays?: boolean
  /** The server gives a statement up after so long; never by default. */
  statementTimeoutMs?: number | undefined
  /** It waits at most so long for a row that others have locked; as long as it takes by default. */
  lockTimeoutMs?: number
  onStatement?: ((statement: string) => void) | undefined
}): Sql {
  const { onStatement } = options
  const sql: Sql = postgres(options.url, {
    max: options.maxConnections ?? 10,
    idle_timeout: 0,
    connect_timeout: connectTimeoutSeconds,
    backoff: () => reconnectSeconds * (0.5 + Math.random() / 2),
    max_lifetime: null,
    types: { bigint: postgres.BigInt },
    connection: {
      application_name: options.name,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      ...(options.statementTimeoutMs && { statement_timeout: options.statementTimeoutMs }),
      ...(options.lockTimeoutMs && { lock_timeout: options.lockTimeoutMs }),
    },
    fetch_types: options.bindsArrays ?? true,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection, statement) => onStatement(statement) }),
  })
  return guardTransactions(sql)
}

/**
 * Keeps the driver from rolling back on a connection that is gone: it would write to a socket that is not there, an
 * exception that nobody can catch. A transaction whose connection was lost ends by the loss alone, which rejects it.
 */
function guardTransactions(sql: Sql): Sql {
  const begin = sql.begin.bind(sql)
  const guarded = <Result>(work: (transaction: SqlTransaction) => Promise<Result>) =>
    begin(async transaction => {
      try {
        return await work(transaction)
      } catch (error) {
        return isLost(error) ? never<Result>() : Promise.reject(error)
      }
    })
  return Object.assign(sql, { begin: guarded })
}

function never<Value>(): Promise<Value> {
  return new Promise(() => {})
}

interface Database {
  url: string
  /** The name of the process, for `application_name`. */
  name: string
}

/**
 * Resolves when the database that `DATABASE_URL` names answers and was migrated. Throws one line when not.
 */
export async function requirePostgres(database: Database): Promise<void> {
  if (await isMigrated(database)) return
  throw new Error('DATABASE_URL: the database has no tables of ours yet: npm run migrate')
}

/**
 * Runs a command's work on one connection to a migrated database, and closes it afterwards. Throws as
 * `requirePostgres` does, and what `work` throws.
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
