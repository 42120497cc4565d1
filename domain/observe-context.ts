import { withTimeout } from '../platform/clock.ts'
import type { Context } from './context.ts'

/** Maximum time in which Postgres answers, in milliseconds. After it, Postgres counts as unavailable. */
const timeoutMs = 1_000

/** Declares the metrics that every process has: Postgres, Redis and the queries of accounts. */
export function observeContext({
  metrics,
  sql,
  redisHealth,
  queries,
  clock,
}: Pick<Context, 'metrics' | 'sql' | 'redisHealth' | 'queries' | 'clock'>): void {
  /** Resolves to the milliseconds until a pooled connection answered; undefined if none did in time. */
  const ping = () => {
    const startedAt = clock.monotonic()
    return withTimeout(timeoutMs, sql`select 1`).then(
      () => clock.monotonic() - startedAt,
      () => undefined,
    )
  }
  metrics.read(
    {
      name: 'rubicon_postgres_up',
      help: 'Whether Postgres answered within 1 s. Of several processes, the worst.',
      type: 'gauge',
      aggregation: 'min',
    },
    async report => report((await ping()) === undefined ? 0 : 1),
  )
  metrics.read(
    {
      name: 'rubicon_postgres_ping_seconds',
      help: 'Time until Postgres answered, with the wait for a connection of the pool. Absent if it did not.',
      type: 'gauge',
      aggregation: 'max',
    },
    async report => {
      const durationMs = await ping()
      if (durationMs !== undefined) report(durationMs / 1000)
    },
  )
  metrics.read(
    {
      name: 'rubicon_redis_up',
      help: 'Whether Redis answers. Absent without Redis. Of several processes, the worst.',
      type: 'gauge',
      aggregation: 'min',
    },
    report => {
      if (redisHealth.state !== 'none') report(redisHealth.state === 'ok' ? 1 : 0)
    },
  )
  metrics.read(
    {
      name: 'rubicon_redis_failed_commands_total',
      help: 'Commands without an answer of Redis.',
      type: 'counter',
    },
    report => report(redisHealth.failures),
  )
  metrics.read(
    {
      name: 'rubicon_queries',
      help: 'Lists, searches and exports of accounts, by whether they run or wait for a connection.',
      labels: ['state'],
      type: 'gauge',
    },
    report => {
      const { running, waiting } = queries.load()
      report(running, 'running')
      report(waiting, 'waiting')
    },
  )
}
