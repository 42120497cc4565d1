import { FairQueue, type QueueOwner } from '../../platform/fair-queue.ts'
import type { DatabaseAddress } from '../../platform/postgres/addresses.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { isGivenUp } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'
import { type Allowances, allowanceOf, type Standing } from '../allowances/allowances.ts'
import { allowanceExceeded } from '../allowances/exceeded.ts'
import { standingOf } from '../allowances/standing.ts'

/** Runs lists, searches and exports, away from the connections of paid requests. */
export interface Queries {
  /**
   * Runs a query of an account when it has a slot. Throws `allowance_exceeded` if too many queries of the account wait
   * or this one has waited for 10 s, and `overloaded` if a statement takes longer than `statementTimeoutMs`.
   */
  run<Result>(accountId: string, work: (context: { sql: Sql }) => Promise<Result>): Promise<Result>
  /** Returns how many queries run and wait. */
  load(): { running: number; waiting: number }
  close(): Promise<void>
}

/** Number of connections, and of queries that run at the same time: few, because each can occupy a core of PostgreSQL. */
const maxConnections = 4

/** Maximum number of queries that accounts that never paid run together, so that paying ones find a free slot. */
const maxNeverPaid = maxConnections / 2

/**
 * Maximum time of a statement in PostgreSQL, in milliseconds. It is shorter than for other statements of the graph,
 * because queries may read many rows and occupy one of few connections.
 */
const statementTimeoutMs = 1_000

/** Maximum time that a query waits, in milliseconds. */
const maxWaitMs = 10_000

/**
 * Maximum number of waiting queries per account. Not an allowance: it bounds the memory of the queue, and hardly more are
 * served within `maxWaitMs`.
 */
const maxWaitingPerAccount = 60

interface Owner extends QueueOwner {
  standing: Standing
  maxSlots: number
}

/** Opens the queries of a process over a database. Connections are opened with the first query. */
export function openQueries(
  address: DatabaseAddress,
  options: {
    name: string
    allowances: Allowances
    onStatement?: ((statement: string) => void) | undefined
  },
): Queries {
  const { name, allowances, onStatement } = options
  const sql = openPostgres({
    ...address,
    name: `${name}-queries`,
    maxConnections,
    statementTimeoutMs,
    plansForValues: true,
    onStatement,
  })
  const queue = new FairQueue<Owner>({
    slots: maxConnections,
    otherSlots: maxNeverPaid,
    maxWaitingPerOwner: maxWaitingPerAccount,
    maxWaitMs,
    refusal: (_bound, { standing, maxSlots }) =>
      allowanceExceeded('queries', { standing, limit: maxSlots, retryAfterSeconds: 1 }),
  })
  return {
    async run(accountId, work) {
      const standing = await standingOf(allowances, accountId)
      const maxSlots = Math.max(1, allowanceOf(allowances, standing, 'queries'))
      const owner = { id: accountId, isPreferred: standing.isPaying, maxSlots, standing }
      return queue.run(owner, () =>
        work({ sql }).catch(error => {
          throw isGivenUp(error) ? tooSlow(error) : error
        }),
      )
    },
    load: () => queue.load,
    close: () => sql.end({ timeout: 5 }),
  }
}

function tooSlow(cause: unknown): Problem {
  const message =
    'The query reads too much. Ask for less: a shorter time, one key or model, a longer search, or a page without its total count.'
  return new Problem('overloaded', { message, retryAfterSeconds: 1, cause, internal: 'a query timed out' })
}
