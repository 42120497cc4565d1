import { join } from 'node:path'
import { Cluster } from 'ioredis'
import { applyCatalogue } from '../domain/models/apply-catalogue.ts'
import type { Catalogue } from '../domain/models/read-catalogue.ts'
import { systemClock } from '../platform/clock.ts'
import { migrate } from '../platform/migrations/migrate.ts'
import { openPostgres, reachPostgres } from '../platform/postgres/open-postgres.ts'
import { explainFault } from '../platform/process/explain-fault.ts'
import { noRedis, openRedis } from '../platform/redis/open-redis.ts'
import { checkout, type Home } from './home.ts'
import type { Keeper } from './keep-alive.ts'
import { startPostgres } from './services/postgres.ts'
import { findRedisServer, sendToRedis, startRedis } from './services/redis.ts'

/** A database server that the system uses, and where it comes from. */
export interface ChosenService {
  url: string
  /** The origin as the summary shows it: `embedded`, `DATABASE_URL`, … */
  origin: string
}

/**
 * Chooses the PostgreSQL server: the server of `DATABASE_URL`, or else the embedded one with a database `rubicon`. Throws
 * a one-line error if it does not respond.
 */
export async function choosePostgres(
  keeper: Keeper,
  options: { env: NodeJS.ProcessEnv; home: Home; port: number; rank: number },
): Promise<ChosenService> {
  const { env, home, port, rank } = options
  if (env.DATABASE_URL) {
    await reachPostgres({ url: env.DATABASE_URL, name: 'dev-start' }, async () => {})
    return { url: env.DATABASE_URL, origin: 'DATABASE_URL' }
  }
  const server = await keeper.keep('PostgreSQL', rank, () => startPostgres({ folder: home.postgres, port }))
  await createDatabase(server.urlOf('postgres'), 'rubicon')
  const origin = server.folder === home.postgres ? 'embedded' : `embedded, kept in ${server.folder}`
  return { url: server.urlOf('rubicon'), origin }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    const [known] = await sql`select 1 from pg_database where datname = ${name}`
    if (!known) await sql`create database ${sql(name)}`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const withoutRedis = 'limits are counted in each process'

/**
 * Chooses the Redis server: the server of `REDIS_URL`, or else a server on this machine's usual port, or else our own
 * server, or else none. Throws a one-line error if the server of `REDIS_URL` does not respond.
 */
export async function chooseRedis(
  keeper: Keeper,
  options: { env: NodeJS.ProcessEnv; home: Home; port: number; rank: number; usualPort?: number },
): Promise<ChosenService> {
  const { env, home, port, rank, usualPort = 6379 } = options
  if (env.REDIS_URL === noRedis) return { url: noRedis, origin: `REDIS_URL: ${withoutRedis}` }
  if (env.REDIS_URL) {
    await requireRedis(env.REDIS_URL, env.REDIS_CLUSTER === 'true')
    return { url: env.REDIS_URL, origin: 'REDIS_URL' }
  }
  if ((await sendToRedis(usualPort, 'PING'))?.startsWith('+PONG'))
    return { url: `redis://127.0.0.1:${usualPort}`, origin: 'found here' }

  const binary = findRedisServer(env.PATH)
  if (!binary) return { url: noRedis, origin: `${withoutRedis}; redis-server or valkey-server would be used` }
  const server = await keeper.keep('Redis', rank, () => startRedis({ binary, folder: home.redis, port }))
  return { url: server.url, origin: 'our own' }
}

async function requireRedis(url: string, cluster: boolean): Promise<void> {
  const redis = openRedis({ url, cluster, name: 'dev-start' })
  try {
    await new Promise((resolve, reject) => redis.once('ready', resolve).once('error', reject))
  } catch (error) {
    throw new Error(`REDIS_URL: ${explainFault(error)}`, { cause: error })
  } finally {
    redis.disconnect()
  }
}

/**
 * Migrates the database and applies the catalogue. Resolves to the names of the migrations that were applied.
 */
export async function prepareDatabase(url: string, catalogue: Catalogue): Promise<string[]> {
  const applied = await migrate(url, join(checkout, 'schema'))
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    await applyCatalogue({ sql, clock: systemClock }, catalogue)
    return applied
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Time in which Redis answers a command that deletes keys, in milliseconds. A machine that also builds the console is busy. */
const forgetTimeoutMs = 5_000

/** Deletes every key that begins with `prefix`, a thousand at a time, and no other key. */
export async function forgetRedisKeys(options: {
  url: string
  cluster: boolean
  prefix: string
}): Promise<void> {
  const { url, cluster, prefix } = options
  if (url === noRedis) return
  const client = openRedis({ url, cluster, name: 'dev-reset', commandTimeoutMs: forgetTimeoutMs })
  await new Promise((resolve, reject) => client.once('ready', resolve).once('error', reject))
  try {
    for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
      for await (const keys of node.scanStream({ match: `${escapePattern(prefix)}*`, count: 1000 })) {
        for (const key of keys) await node.unlink(key)
      }
    }
  } finally {
    client.disconnect()
  }
}

/** Escapes what Redis would read as a pattern. */
function escapePattern(prefix: string): string {
  return prefix.replaceAll(/[\\*?[\]]/g, '\\$&')
}
