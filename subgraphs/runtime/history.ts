import type { Config } from '../../platform/config/read-config.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { isGivenUp } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'

/**
 * Reads the tables that grow with every request: transactions and the request log. An account with expensive
 * queries slows down only itself: these reads have connections of their own, a statement has
 * `HISTORY_TIMEOUT_MS`, and an account runs only a few statements at a time.
 */
export interface History {
  /**
   * Runs `work` for an account as soon as one of its slots is free. Throws `rate_limit_exceeded` where too
   * many of its reads wait already, or one waited too long, and `overloaded` where a statement takes too
   * long.
   */
  read<Result>(accountId: string, work: (context: { sql: Sql }) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/**
 * Connections of the process; statements of an account at a time, and how many more may wait for how long.
 */
const connections = 8
const turnsOfAccount = { atOnce: 3, waiting: 60, waitMs: 10_000 }

/** Opens it. Connections are made with the first read. */
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

/** Limits how much runs at a time under each name; the rest waits, first come, first served. */
export interface Turns {
  /**
   * Waits for a turn. Resolves to a function that ends it, or to undefined where too many wait or it took too
   * long.
   */
  take(name: string): Promise<(() => void) | undefined>
}

interface Queue {
  running: number
  waiting: Set<() => void>
}

/** Opens a limiter that keeps nothing of a name under which nothing runs. */
export function openTurns(bounds: { atOnce: number; waiting: number; waitMs: number }): Turns {
  const queues = new Map<string, Queue>()
  return {
    async take(name) {
      const queue = queues.get(name) ?? { running: 0, waiting: new Set() }
      queues.set(name, queue)
      if (queue.running < bounds.atOnce) queue.running += 1
      else if (queue.waiting.size >= bounds.waiting || !(await begun(queue))) return undefined
      return () => end(name, queue)
    },
  }

  /** Passes the turn on to the first that waits. */
  function end(name: string, queue: Queue): void {
    const [next] = queue.waiting
    if (next) next()
    else if (--queue.running === 0) queues.delete(name)
  }

  function begun({ waiting }: Queue): Promise<boolean> {
    return new Promise(resolve => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve(true)
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        resolve(false)
      }, bounds.waitMs)
      waiting.add(begin)
    })
  }
}
