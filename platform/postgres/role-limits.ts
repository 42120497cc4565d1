import { type Database, openPostgres, reachPostgres, type Sql } from './open-postgres.ts'
import { codeOf } from './transient-errors.ts'

/**
 * Maximum limits of a role whose sessions come from a pooler, in milliseconds. Without a pooler, each connection sets its
 * limits when it opens.
 */
const roleLimitsMs = {
  statement_timeout: 30_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 2_000,
} as const

/**
 * Resolves if the sessions at an address have limits and, through a pooler, if prepared statements work. Otherwise throws
 * an error whose one line contains the remedy.
 */
export async function requireLimits(database: Database): Promise<void> {
  await reachPostgres(database, async sql => {
    const limits = await readLimits(sql)
    if (!database.isPooled) return refuseDroppedParameters(limits)
    refuseUnlimitedRole(limits.filter(({ name, ms }) => ms === 0 || ms > roleLimitsMs[name]))
    await refuseLostStatements(database, sql)
  })
}

interface Limit {
  name: keyof typeof roleLimitsMs
  /** In milliseconds; zero means unlimited. */
  ms: number
  /** The role of the session, quoted as an identifier. */
  role: string
}

async function readLimits(sql: Sql): Promise<Limit[]> {
  const names = Object.keys(roleLimitsMs)
  return sql<Limit[]>`
    select name, setting::int as ms, format('%I', current_user) as role
    from pg_settings where name = any (${names}) order by array_position(${names}, name)`
}

/** Every direct connection ends idle transactions. If the server does not know of it, a pooler has dropped it. */
function refuseDroppedParameters(limits: readonly Limit[]): void {
  if (limits.some(({ name, ms }) => name === 'idle_in_transaction_session_timeout' && ms > 0)) return
  throw new Error('a pooler drops the start-up parameters: set DATABASE_DIRECT_URL (docs/pooler.md)')
}

function refuseUnlimitedRole(missing: readonly Limit[]): void {
  const [first] = missing
  if (!first) return
  const remedy = missing.map(
    ({ name, role }) => `alter role ${role} set ${name} = '${roleLimitsMs[name] / 1_000}s';`,
  )
  throw new Error(
    `the limits of role ${first.role} are missing or too high: ${remedy.join(' ')} then reconnect the pooler`,
  )
}

/** Number of times that a statement is repeated in search of another server connection. */
const repeats = 3

/** Maximum wait for a second server connection, in milliseconds. A pool may have only one. */
const secondTimeoutMs = 1_000

/**
 * Throws if a prepared statement is lost when the pooler changes the server connection: it must prepare the statement
 * there again. During the test, a second connection occupies the first server connection.
 */
async function refuseLostStatements(database: Database, sql: Sql): Promise<void> {
  const other = openPostgres({ ...database, maxConnections: 1 })
  const serverOf = async () => {
    // In a transaction, because the driver would prepare a lost statement again.
    const [row] = await sql.begin(
      transaction => transaction<{ pid: number }[]>`select pg_backend_pid() as pid`,
    )
    return row?.pid
  }
  try {
    const first = await serverOf()
    for (let turn = 0; turn < repeats; turn++) {
      const occupied = Promise.withResolvers<void>()
      const free = Promise.withResolvers<void>()
      const holding = other.begin(async transaction => {
        await transaction`select 1`
        occupied.resolve()
        await free.promise
      })
      await Promise.race([occupied.promise, holding])
      let isOnly = false
      const timer = setTimeout(() => {
        isOnly = true
        free.resolve()
      }, secondTimeoutMs)
      const second = await serverOf().finally(free.resolve)
      clearTimeout(timer)
      await holding
      if (isOnly || second !== first) return
    }
  } catch (error) {
    if (codeOf(error) !== '26000') throw error // invalid_sql_statement_name
    const message =
      'the pooler loses prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements above 0'
    throw new Error(message, { cause: error })
  } finally {
    await other.end({ timeout: 1 })
  }
}
