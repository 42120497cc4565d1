import postgres from 'postgres'
import { type DriverOptions, openConnection, type PostgresConnection } from './one-connection.ts'
import type { Sql, SqlTransaction } from './open-postgres.ts'
import { divert, type Send, type Statement } from './statements.ts'

/** Delay of the next connection after a loss, in milliseconds; jittered up to twice this. */
const pauseMs = 75

/** Maximum time in which the statements of an ended connection finish. */
const endTimeoutSeconds = 5

interface PoolOptions {
  url: string
  driver: DriverOptions
  maxConnections: number
  silenceMs: number | undefined
  /** Settings of every transaction. Each statement then runs in one. */
  transactionSettings?: Readonly<Record<string, string>> | undefined
  /** Called when a connection is lost. */
  onLost?: (() => void) | undefined
}

/** Begins a transaction, as `Sql.begin` does. */
type Begin = (work: (transaction: SqlTransaction) => Promise<unknown>) => Promise<unknown>

/** Receives a connection; undefined if the pool has ended. */
type Use = (connection: PostgresConnection | undefined) => void

/**
 * Opens a pool of connections. A lost connection is replaced. A statement uses an idle connection, a new one, or queues on
 * the least busy one. A transaction has exclusive use of its connection.
 */
export function openPool(options: PoolOptions): Sql {
  /** Creates statements, and sends none. */
  const maker: Sql = postgres(options.url, { ...options.driver, max: 1 })
  const pool = new Pool(options, maker)
  const settings = setLocal(options.transactionSettings)
  const begin = (work: (transaction: SqlTransaction) => Promise<unknown>) =>
    pool.exclusively((connection, returnConnection) =>
      connection
        .begin(async transaction => {
          if (settings) await transaction.unsafe(settings)
          return work(transaction)
        })
        .finally(returnConnection),
    )
  const own = {
    begin,
    reserve: () =>
      pool.exclusively(async (connection, returnConnection) => {
        const reserved = await connection.reserve()
        const { release } = reserved
        return Object.assign(reserved, {
          release() {
            release()
            returnConnection()
          },
        })
      }),
    end: (endOptions?: { timeout?: number }) => pool.end(endOptions),
  }
  const send = (statement: Statement, refuse: Send) =>
    pool.give(connection => (connection ? connection.run(statement) : refuse(statement)))
  return divert(maker, settings ? statement => runInTransaction(begin, statement) : send, own)
}

/** Returns the statements that set `settings` until the end of the transaction. */
function setLocal(settings: PoolOptions['transactionSettings']): string | undefined {
  if (!settings) return undefined
  return Object.entries(settings)
    .map(([name, value]) => `set local ${name} = '${value}'`)
    .join('; ')
}

/** Runs a statement in a separate transaction. The statement is rejected if the transaction could not begin. */
function runInTransaction(begin: Begin, statement: Statement): void {
  const send = async (transaction: SqlTransaction) => {
    Reflect.get(transaction``, 'handler')(statement)
    await statement
  }
  begin(send).catch(error => Reflect.get(statement, 'reject')(error))
}

class Pool {
  readonly #options: PoolOptions
  readonly #maker: Sql
  readonly #connections = new Set<PostgresConnection>()
  readonly #exclusive = new Set<PostgresConnection>()
  readonly #waiting: Use[] = []
  #lostAt = -Infinity
  #isEnded = false

  constructor(options: PoolOptions, maker: Sql) {
    this.#options = options
    this.#maker = maker
  }

  /** Calls `use` as soon as a connection has no transaction. Earlier calls are served first. */
  give(use: Use): void {
    const connection = this.#isEnded || this.#waiting.length > 0 ? undefined : this.#choose()
    if (connection || this.#isEnded) use(connection)
    else this.#waiting.push(use)
  }

  /** Runs `work` with exclusive use of a connection, until `returnConnection` is called or `work` fails. */
  async exclusively<Result>(
    work: (
      connection: Pick<PostgresConnection, 'begin' | 'reserve'>,
      returnConnection: () => void,
    ) => Promise<Result>,
  ): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<PostgresConnection | undefined>()
    this.give(given => {
      if (given) this.#exclusive.add(given)
      resolve(given)
    })
    const connection = await promise
    const returnConnection = () => {
      if (!connection || !this.#exclusive.delete(connection)) return
      if (!this.#connections.has(connection)) end(connection)
      this.#serve()
    }
    try {
      return await work(connection ?? this.#maker, returnConnection)
    } catch (error) {
      returnConnection()
      throw error
    }
  }

  async end(options?: { timeout?: number }): Promise<void> {
    this.#isEnded = true
    await this.#maker.end()
    this.#serve()
    await Promise.all([...this.#connections].map(connection => connection.end(options)))
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#isEnded ? undefined : this.#choose()
      if (!connection && !this.#isEnded) return
      this.#waiting.shift()?.(connection)
    }
  }

  #choose(): PostgresConnection | undefined {
    let best: PostgresConnection | undefined
    for (const connection of this.#connections) {
      if (this.#exclusive.has(connection)) continue
      if (!best || connection.inFlight() < best.inFlight()) best = connection
      if (best.inFlight() === 0) return best
    }
    return this.#connections.size < this.#options.maxConnections ? this.#open() : best
  }

  #open(): PostgresConnection {
    const { url, driver, silenceMs, onLost } = this.#options
    const restMs = this.#lostAt + pauseMs * (1 + Math.random()) - performance.now()
    const connection = openConnection({
      url,
      driver,
      silenceMs,
      pauseMs: Math.max(0, restMs),
      onLost: lost => {
        this.#lostAt = performance.now()
        this.#connections.delete(lost)
        this.#exclusive.delete(lost)
        this.#serve()
        onLost?.()
      },
      onReadOnly: () => this.#retireAll(),
    })
    this.#connections.add(connection)
    return connection
  }

  /**
   * Gives no more work to the current connections, and ends each one after its transaction. The server accepts no
   * writes, so the primary may be another server behind the same address.
   */
  #retireAll(): void {
    this.#lostAt = performance.now()
    for (const connection of this.#connections) if (!this.#exclusive.has(connection)) end(connection)
    this.#connections.clear()
    this.#serve()
  }
}

function end(connection: PostgresConnection): void {
  connection.end({ timeout: endTimeoutSeconds }).catch(() => {})
}
