import type { Config } from '../../platform/config/read-config.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { isGivenUp } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'
import type { Allowances } from '../allowances/allowances.ts'
import { Turns } from '../allowances/turns.ts'

/** Runs lists, searches and exports, away from the connections of paid requests. */
export interface Queries {
  /**
   * Runs a query of an account in one of its turns. Throws `allowance_exceeded` if too many queries of the account wait,
   * and `overloaded` if a statement takes longer than `QUERY_TIMEOUT_MS`.
   */
  run<Result>(accountId: string, work: (context: { sql: Sql }) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Number of connections, and of queries that run at the same time: few, because each can occupy a core of PostgreSQL. */
const maxConnections = 4

/** Opens the queries of a process. Connections are opened with the first query. */
export function openQueries(
  { databaseUrl, queryTimeoutMs }: Pick<Config, 'databaseUrl' | 'queryTimeoutMs'>,
  options: {
    name: string
    allowances: Allowances
    onStatement?: ((statement: string) => void) | undefined
  },
): Queries {
  const { name, allowances, onStatement } = options
  const sql = openPostgres({
    url: databaseUrl,
    name: `${name}-queries`,
    maxConnections,
    statementTimeoutMs: queryTimeoutMs,
    onStatement,
  })
  const turns = new Turns(allowances, { resource: 'queries', capacity: maxConnections })
  return {
    run: (accountId, work) =>
      turns.run(accountId, () =>
        work({ sql }).catch(error => {
          throw isGivenUp(error) ? tooSlow(error) : error
        }),
      ),
    close: () => sql.end({ timeout: 5 }),
  }
}

function tooSlow(cause: unknown): Problem {
  const message = 'The query reads too much. Ask for less: a shorter time, one key or a smaller page.'
  return new Problem('overloaded', { message, retryAfterSeconds: 1, cause, internal: 'QUERY_TIMEOUT_MS' })
}
