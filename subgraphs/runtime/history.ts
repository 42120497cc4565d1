import type { Config } from '../../platform/config/read-config.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { isGivenUp } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'
import { openTurns } from './turns.ts'

/**
 * The way to tables that grow with every request: transactions and the request log. Whoever asks for much of them
 * holds up himself alone: they have connections of their own, a statement has `HISTORY_TIMEOUT_MS`, and an account
 * reads in a few statements at once.
 */
export interface History {
  /**
   * Reads for an account, once it is its turn. Throws `rate_limit_exceeded` where too many of its reads wait already,
   * `overloaded` where a statement takes too long.
   */
  read<Result>(accountId: string, work: (context: { sql: Sql }) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Connections of a process, statements of an account at once, and how many more may wait for how long. */
const connections = 8
const turnsOfAccount = { atOnce: 3, waiting: 60, waitMs: 10_000 }

/** Opens it. */
export function openHistory(
  { databaseUrl, historyTimeoutMs, statementTimeoutMs }: Config,
  { name, onStatement }: { name: string; onStatement?: ((statement: string) => void) | undefined },
): History {
  const sql = openPostgres({
    url: databaseUrl,
    name: `${name}-history`,
    maxConnections: connections,
    statementTimeoutMs: Math.min(historyTimeoutMs, statementTimeoutMs),
    onStatement,
  })
  const turns = openTurns(turnsOfAccount)
  return {
    async read(accountId, work) {
      const done = await turns.take(accountId)
      if (!done) throw tooMany()
      try {
        return await work({ sql })
      } catch (error) {
        throw isGivenUp(error) ? tooSlow(error) : error
      } finally {
        done()
      }
    },
    close: () => sql.end({ timeout: 5 }),
  }
}

function tooMany(): Problem {
  const message = 'Too many of your questions to logs and transactions run at once: wait for their answers.'
  return new Problem('rate_limit_exceeded', { message, retryAfterSeconds: 1 })
}

function tooSlow(cause: unknown): Problem {
  const message =
    'There is too much to look through: ask for less, such as a shorter time, one key or a smaller page.'
  return new Problem('overloaded', { message, retryAfterSeconds: 1, cause, internal: 'HISTORY_TIMEOUT_MS' })
}
