import type { EntityManager } from '@mikro-orm/postgresql'
import { type Clock, systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { type Ids, systemIds } from '../platform/ids.ts'
import { type Log, openLog } from '../platform/log.ts'
import { type Metrics, openMetrics } from '../platform/metrics/open-metrics.ts'
import { logAddress, pooledAddress } from '../platform/postgres/addresses.ts'
import { openPostgres, type Sql } from '../platform/postgres/open-postgres.ts'
import { type News, openNews } from '../platform/redis/news.ts'
import { noRedis, openRedis, type RedisClient } from '../platform/redis/open-redis.ts'
import { type RedisWatch, watchRedis } from '../platform/redis/redis-health.ts'
import { openVault, type Vault } from '../platform/secrets/vault.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { type Allowances, openAllowances } from './allowances/allowances.ts'
import { observeContext } from './observe-context.ts'
import { openQueries, type Queries } from './queries/open-queries.ts'

/** The context of operations: plain data, built once per process by its entry file. */
export interface Context {
  config: Config
  sql: Sql
  /** The log database; undefined if the request log and usage are in the main database. */
  logs: Sql | undefined
  queries: Queries
  /** Runs lists of requests and usage, in the database that has them. */
  logQueries: Queries
  redis: RedisClient
  redisHealth: RedisWatch
  news: News
  vault: Vault
  allowances: Allowances
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  /** Undefined if nothing is traced. */
  tracing: Tracing | undefined
}

/** Maximum duration of a statement, in milliseconds. The longest statements, which delete old rows, take seconds. */
export const longestStatementMs = 30_000

/** Number of connections to the log database, in addition to the connections of its lists. */
const logConnections = 3

/**
 * Opens the connections of a process called `name`. Nothing is awaited: each connects, and reconnects, by
 * itself.
 */
export function openContext(
  config: Config,
  options: {
    name: string
    clock?: Clock
    maxConnections?: number
    statementTimeoutMs?: number
    onStatement?: (statement: string) => void
    tracing?: Tracing | undefined
  },
): Context {
  const { name, maxConnections = 10, statementTimeoutMs = longestStatementMs, onStatement } = options
  const { clock = systemClock } = options
  const log = openLog({ level: config.logLevel, name })
  const redis = openRedis({ url: config.redisUrl, cluster: config.redisCluster, name })
  const sql = openPostgres({
    ...pooledAddress(config),
    name,
    maxConnections,
    statementTimeoutMs,
    onStatement,
  })
  const allowances = openAllowances({ config, sql, redis })
  const queries = openQueries(pooledAddress(config), { name, allowances, onStatement })
  const ofLogs = logAddress(config)
  const context: Context = {
    config,
    sql,
    logs:
      ofLogs &&
      openPostgres({ ...ofLogs, name, maxConnections: logConnections, statementTimeoutMs, onStatement }),
    queries,
    logQueries: ofLogs ? openQueries(ofLogs, { name: `${name}-logs`, allowances, onStatement }) : queries,
    redis,
    redisHealth: watchRedis(redis, { log, clock, isNone: config.redisUrl === noRedis }),
    news: openNews({
      redis,
      url: config.redisUrl,
      cluster: config.redisCluster,
      prefix: config.redisPrefix,
      name,
    }),
    vault: openVault(config.masterKeys),
    allowances,
    clock,
    ids: systemIds,
    log,
    metrics: openMetrics(name),
    tracing: options.tracing,
  }
  observeContext(context)
  return context
}

/** Closes the connections. */
export async function closeContext(context: Context): Promise<void> {
  context.redisHealth.close()
  context.news.close()
  context.redis.disconnect()
  const { sql, logs, queries, logQueries, tracing } = context
  const ended = [...new Set([queries, logQueries])].map(opened => opened.close())
  await Promise.all([sql.end({ timeout: 5 }), logs?.end({ timeout: 5 }), tracing?.close(), ...ended])
}

/** The context of operations on management records, with a unit of work of MikroORM. */
export interface ManagementContext extends Context {
  em: EntityManager
}
