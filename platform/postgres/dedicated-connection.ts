import { type Database, openPostgres, type Sql } from './open-postgres.ts'

/** Maximum time of a statement in the server, in milliseconds. */
const statementTimeoutMs = 2_000

/**
 * Maximum wait for a response, in milliseconds. It exceeds `statementTimeoutMs`, so a statement has ended when it is sent
 * again over a new connection. Through a pooler, or after a lost connection, it may still run.
 */
const timeoutMs = 3_000

/**
 * One connection that runs statements in order. A lost connection is reopened automatically. If it was lost silently,
 * the driver would wait for ever, so it is replaced after `timeoutMs`.
 */
export interface DedicatedConnection {
  /**
   * Runs `query`. Rejects with the server's error, or with `CONNECTION_SILENT`, after which the query can be sent
   * again.
   */
  run<Row>(query: (sql: Sql) => Promise<Row>): Promise<Row>
  end(): Promise<void>
}

export function openDedicatedConnection(options: Database): DedicatedConnection {
  const open = () => openPostgres({ ...options, maxConnections: 1, statementTimeoutMs })
  let sql = open()
  const replace = (silent: Sql) => {
    if (sql !== silent) return
    sql = open()
    silent.end({ timeout: 0 }).catch(() => {})
  }
  return {
    run(query) {
      const current = sql
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          replace(current)
          reject(Object.assign(new Error('PostgreSQL does not answer'), { code: 'CONNECTION_SILENT' }))
        }, timeoutMs)
        query(current)
          .then(resolve, reject)
          .finally(() => clearTimeout(timer))
      })
    },
    end: () => sql.end({ timeout: 5 }),
  }
}
