import postgres from 'postgres'
import { type Connection, type DriverOptions, openConnection } from './one-connection.ts'
import type { Sql, SqlTransaction } from './open-postgres.ts'
import { divert } from './statements.ts'

/** Delay of the next connection after a loss, in milliseconds; jittered up to twice this. */
const pauseMs = 75

/** Statements of a connection that is ended have this long to finish. */
const endTimeoutSeconds = 5

interface PoolOptions {
  url: string
  driver: DriverOptions
  maxConnections: number
  silenceMs: number | undefined
  /** Called when a connection is lost. */
  onLost?: (() => void) | undefined
}

/** Takes a connection; undefined where the pool is ended. */
type Use = (connection: Connection | undefined) => void

/**
 * Opens a pool of connections. A lost connection is replaced. A statement uses an idle connection, a new one, or queues on
 * the least busy one. A transaction has exclusive use of its connection.
 */
export function openPool({ url, driver, maxConnections, silenceMs, onLost }: PoolOptions): Sql {
  /** Makes statements, and sends none. */
  const maker: Sql = postgres(url, { ...driver, max: 1 })
  const connections = new Set<Connection>()
  const taken = new Set<Connection>()
  const waiting: Use[] = []
  let lostAt = -Infinity
  let isEnded = false

  function open(): Connection {
    const restMs = lostAt + pauseMs * (1 + Math.random()) - performance.now()
    const connection = openConnection({
      url,
      driver,
      silenceMs,
      pauseMs: Math.max(0, restMs),
      onLost(lost) {
        lostAt = performance.now()
        connections.delete(lost)
        taken.delete(lost)
        serve()
        onLost?.()
      },
      onReadOnly: retireAll,
    })
    connections.add(connection)
    return connection
  }

  /**
   * Gives no more work to the connections of now, and ends each when its transaction is over: the server accepts no
   * writes, so the primary may be another one behind the same address.
   */
  function retireAll(): void {
    lostAt = performance.now()
    for (const connection of connections) if (!taken.has(connection)) end(connection)
    connections.clear()
    serve()
  }

  function end(connection: Connection): void {
    connection.end({ timeout: endTimeoutSeconds }).catch(() => {})
  }

  function choose(): Connection | undefined {
    let best: Connection | undefined
    for (const connection of connections) {
      if (taken.has(connection)) continue
      if (!best || connection.underWay() < best.underWay()) best = connection
      if (best.underWay() === 0) return best
    }
    return connections.size < maxConnections ? open() : best
  }

  /** Those that wait for a transaction to end come first. */
  function give(use: Use): void {
    const connection = isEnded || waiting.length > 0 ? undefined : choose()
    if (connection || isEnded) use(connection)
    else waiting.push(use)
  }

  function serve(): void {
    while (waiting.length > 0) {
      const connection = isEnded ? undefined : choose()
      if (!connection && !isEnded) return
      waiting.shift()?.(connection)
    }
  }

  async function exclusively<Result>(
    work: (connection: Pick<Connection, 'begin' | 'reserve'>, giveBack: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Connection | undefined>()
    give(given => {
      if (given) taken.add(given)
      resolve(given)
    })
    const connection = await promise
    const giveBack = () => {
      if (!connection || !taken.delete(connection)) return
      if (!connections.has(connection)) end(connection)
      serve()
    }
    try {
      return await work(connection ?? maker, giveBack)
    } catch (error) {
      giveBack()
      throw error
    }
  }

  const own = {
    begin: (work: (transaction: SqlTransaction) => Promise<unknown>) =>
      exclusively((connection, giveBack) => connection.begin(work).finally(giveBack)),
    reserve: () =>
      exclusively(async (connection, giveBack) => {
        const reserved = await connection.reserve()
        const { release } = reserved
        return Object.assign(reserved, {
          release() {
            release()
            giveBack()
          },
        })
      }),
    async end(options?: { timeout?: number }) {
      isEnded = true
      await maker.end()
      serve()
      await Promise.all([...connections].map(connection => connection.end(options)))
    },
  }
  return divert(
    maker,
    (statement, refuse) => give(connection => (connection ? connection.run(statement) : refuse(statement))),
    own,
  )
}
