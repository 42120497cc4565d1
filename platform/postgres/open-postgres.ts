import postgres from 'postgres'
import { explainFault } from '../process/explain-fault.ts'
import type { DatabaseAddress } from './addresses.ts'
import { arrayTypes } from './array-types.ts'
import { keepAliveSeconds, serverKeepAlive } from './keep-alive.ts'
import { openPool } from './open-pool.ts'

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
  /** Whether the address leads through a pooler. The limits of the role then apply (`role-limits.ts`). */
  isPooled?: boolean
  name: string
  maxConnections?: number
  /** Maximum time of a statement in the server, in milliseconds. Unlimited by default. */
  statementTimeoutMs?: number | undefined
  /**
   * Whether the server plans a statement for its values each time. A plan for any values may read a whole table. Through a
   * pooler, each statement then runs in a transaction that sets this and `statementTimeoutMs`.
   */
  plansForValues?: boolean
  onStatement?: ((statement: string) => void) | undefined
  /** Called when a connection is lost. */
  onLost?: () => void
}): Sql {
  const { url, isPooled = false, name, maxConnections = 10, statementTimeoutMs, onStatement } = options
  /** Also what is unlimited, because the role may have limits. Texts, because the driver omits zeros. */
  const limits: Record<string, string> = {
    lock_timeout: '0',
    statement_timeout: String(statementTimeoutMs ?? 0),
    ...(options.plansForValues && { plan_cache_mode: 'force_custom_plan' }),
  }
  const driver = {
    idle_timeout: 0,
    connect_timeout: connectTimeoutSeconds,
    keep_alive: keepAliveSeconds,
    max_lifetime: null,
    types: { ...arrayTypes, bigint: postgres.BigInt },
    connection: {
      application_name: name,
      ...(!isPooled && {
        ...serverKeepAlive,
        idle_in_transaction_session_timeout: idleInTransactionMs,
        ...limits,
      }),
    },
    fetch_types: false,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, statement: string) => onStatement(statement) }),
  }
  return openPool({
    url,
    driver,
    maxConnections,
    transactionSettings: isPooled && options.plansForValues ? limits : undefined,
    silenceMs: statementTimeoutMs && statementTimeoutMs + silenceMs,
    onLost: options.onLost,
  })
}

/** The oldest supported version of PostgreSQL. */
const minimumVersion = 16

/** A database as a process reaches it. */
export interface Database extends Partial<DatabaseAddress> {
  url: string
  /** The name of the process, for `application_name`. */
  name: string
}

/**
 * Resolves to the result of `check` if the server at the address answers and is new enough, even if it is not migrated.
 * If not, or if `check` fails, throws an error with one line, which names the setting.
 */
export async function reachPostgres<Result>(
  database: Database,
  check: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = openPostgres({ ...database, maxConnections: 1 })
  try {
    await refuseOldServer(sql)
    return await check(sql)
  } catch (error) {
    const { variable = 'DATABASE_URL' } = database
    throw new Error(`${variable}: ${explainFault(error)}${poolerHint(error)}`, { cause: error })
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** A pooler refuses the parameters that set the limits of a session. */
function poolerHint(error: unknown): string {
  const isRefused = error instanceof Error && error.message.includes('unsupported startup parameter')
  return isRefused ? `: this is a pooler, which needs DATABASE_DIRECT_URL (docs/pooler.md)` : ''
}

async function refuseOldServer(sql: Sql): Promise<void> {
  const [server] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`
  if (server && server.number < minimumVersion * 10_000)
    throw new Error(
      `the server runs PostgreSQL ${server.name}: version ${minimumVersion} or newer is required`,
    )
}
