import { openPostgres, type Sql } from './open-postgres.ts'

/** The server gives a statement up after so long… */
const statementTimeoutMs = 2_000

/** It waits at most so long for a row that others have locked. */
const lockTimeoutMs = 100

/**
 * …so that after so long without an answer nothing of it goes on, and it may be sent again over a new
 * connection.
 */
const timeoutMs = 3_000

/**
 * One connection on which statements run in the order in which they are given. A connection that was lost is
 * opened anew by itself; one that is lost without a word (the driver then waits for ever) is replaced after
 * `timeoutMs`.
 */
export interface DedicatedConnection {
  /** Runs `query`. Rejects as the server does, or with `CONNECTION_SILENT`, which is worth sending again. */
  run<Row>(query: (sql: Sql) => Promise<Row>): Promise<Row>
  end(): Promise<void>
}

export function openDedicatedConnection(options: { url: string; name: string }): DedicatedConnection {
  const open = () => openPostgres({ ...options, maxConnections: 1, statementTimeoutMs, lockTimeoutMs })
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
