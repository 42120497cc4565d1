import { type AnyEntity, type EntityClass, type EntitySchema, MikroORM } from '@mikro-orm/postgresql'
import { keepAliveSeconds, serverKeepAliveOptions } from './keep-alive.ts'
import { isReadOnly } from './transient-errors.ts'

export type Orm = MikroORM

/**
 * Maximum idle time within a transaction, in milliseconds. Then it is rolled back, because others wait for its locks.
 */
const idleInTransactionMs = 2_000

/** Maximum wait of a statement for locks of other transactions, in milliseconds. */
const lockTimeoutMs = 2_000

/** Time after which a lost connection that was not released is returned to the pool, in milliseconds. */
const releaseAfterMs = 500

/**
 * Opens MikroORM over `entities`. It connects with the first statement; one fork of its `em` serves one
 * request.
 */
export function openOrm(options: {
  url: string
  /** Whether the address leads through a pooler. The limits of the role then apply (`role-limits.ts`). */
  isPooled?: boolean
  name: string
  entities: (EntityClass<AnyEntity> | EntitySchema)[]
  maxConnections?: number
  /** Maximum time of a statement in the server, in milliseconds. Unlimited by default. */
  statementTimeoutMs?: number
  /** Receives the text of each statement. */
  onStatement?: ((statement: string) => void) | undefined
}): Orm {
  const { onStatement } = options
  return new MikroORM({
    clientUrl: options.url,
    entities: options.entities,
    pool: { min: 0, max: options.maxConnections ?? 10 },
    driverOptions: {
      application_name: options.name,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveSeconds * 1000,
      ...(!options.isPooled && startUpParameters(options.statementTimeoutMs)),
      onPoolCreated(pool: Pool) {
        releaseLost(pool)
        endReadOnly(pool)
      },
    },
    ensureDatabase: false,
    ...(onStatement && { debug: ['query'], colors: false, logger: onStatement }),
  })
}

/** Returns the limits that the server applies to a session. A pooler refuses such parameters. */
function startUpParameters(statementTimeoutMs: number | undefined) {
  return {
    options: serverKeepAliveOptions,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    lock_timeout: lockTimeoutMs,
    ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
  }
}

interface PoolClient {
  once(event: 'end', listener: () => void): void
  release(isLost: boolean): void
  end(): Promise<void>
  connection: { on(event: 'errorMessage', listener: (error: Error) => void): void }
}

interface Pool {
  on(event: 'connect' | 'acquire', listener: (client: PoolClient) => void): void
  on(event: 'release', listener: (error: unknown, client: PoolClient) => void): void
}

/**
 * Returns a connection to the pool that was lost in the middle of a transaction. The query builder never releases a
 * client whose rollback failed, and ten of them would exhaust the pool.
 */
function releaseLost(pool: Pool): void {
  const inUse = new Set<PoolClient>()
  pool.on('acquire', client => inUse.add(client))
  pool.on('release', (_, client) => inUse.delete(client))
  pool.on('connect', client =>
    client.once('end', () => {
      // The user of the connection is notified of the loss first, and may release it.
      setTimeout(() => {
        if (inUse.delete(client)) client.release(true)
      }, releaseAfterMs).unref()
    }),
  )
}

/**
 * Ends a connection to a server that accepts no writes when it is released: the primary may be another server behind the
 * same address.
 */
function endReadOnly(pool: Pool): void {
  const readOnly = new WeakSet<PoolClient>()
  pool.on('connect', client =>
    client.connection.on('errorMessage', error => {
      if (isReadOnly(error)) readOnly.add(client)
    }),
  )
  pool.on('release', (_, client) => {
    if (readOnly.has(client)) client.end().catch(() => {})
  })
}
