import type { EntityManager } from '@mikro-orm/postgresql'
import { type Clock, systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { type Ids, systemIds } from '../platform/ids.ts'
import { type Log, openLog } from '../platform/log.ts'
import { openPostgres, type Sql } from '../platform/postgres/open-postgres.ts'
import { type News, openNews } from '../platform/redis/news.ts'
import { noRedis, openRedis, type RedisClient } from '../platform/redis/open-redis.ts'
import { type RedisWatch, watchRedis } from '../platform/redis/redis-health.ts'
import { openVault, type Vault } from '../platform/secrets/vault.ts'
import { type Allowances, openAllowances } from './allowances/allowances.ts'
import { openQueries, type Queries } from './queries/open-queries.ts'

/** The context of operations: plain data, built once per process by its entry file. */
export interface Context {
  config: Config
  sql: Sql
  queries: Queries
  redis: RedisClient
  redisHealth: RedisWatch
  news: News
  vault: Vault
  allowances: Allowances
  clock: Clock
  ids: Ids
  log: Log
}

/** Maximum duration of a statement, in milliseconds. The longest statements, which delete old rows, take seconds. */
export const longestStatementMs = 30_000

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
  },
): Context {
  const { name, maxConnections = 10, statementTimeoutMs = longestStatementMs, onStatement } = options
  const { clock = systemClock } = options
  const log = openLog({ level: config.logLevel, name })
  const redis = openRedis({ url: config.redisUrl, cluster: config.redisCluster, name })
  const sql = openPostgres({ url: config.databaseUrl, name, maxConnections, statementTimeoutMs, onStatement })
  const allowances = openAllowances({ config, sql, redis })
  return {
    config,
    sql,
    queries: openQueries(config, { name, allowances, onStatement }),
    redis,
    redisHealth: watchRedis(redis, { log, clock, isNone: config.redisUrl === noRedis }),
    news: openNews({ redis, url: config.redisUrl, prefix: config.redisPrefix, name }),
    vault: openVault(config.masterKeys),
    allowances,
    clock,
    ids: systemIds,
    log,
  }
}

/** Closes the connections. */
export async function closeContext(context: Context): Promise<void> {
  context.redisHealth.close()
  context.news.close()
  context.redis.disconnect()
  await Promise.all([context.sql.end({ timeout: 5 }), context.queries.close()])
}

/** The context of operations on management records, with a unit of work of MikroORM. */
export interface ManagementContext extends Context {
  em: EntityManager
}
