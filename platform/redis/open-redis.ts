import { createHash } from 'node:crypto'
import { Cluster, Redis } from 'ioredis'

export type RedisClient = Redis | Cluster

/**
 * Idle time before TCP probes a connection, in milliseconds. A peer that is no longer reachable is detected within 15
 * seconds.
 */
const keepAliveMs = 5_000

/** The REDIS_URL of a system without Redis. */
export const noRedis = 'none'

/**
 * Opens a client that fails fast: a command fails if Redis does not answer within `commandTimeoutMs` (100 by default),
 * no command is queued while Redis is unavailable, and the client reconnects automatically. The client of `noRedis`
 * rejects every command immediately.
 */
export function openRedis(options: {
  url: string
  cluster: boolean
  name: string
  commandTimeoutMs?: number
}): RedisClient {
  if (options.url === noRedis) return openNothing()
  const behaviour = {
    commandTimeout: options.commandTimeoutMs ?? 100,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectionName: options.name,
    keepAlive: keepAliveMs,
    retryStrategy: (attempt: number) => Math.min(50 * attempt, 500),
  }
  const client = options.cluster
    ? new Cluster([options.url], { enableOfflineQueue: false, redisOptions: behaviour })
    : new Redis(options.url, behaviour)
  client.on('error', () => {}) // every command reports its own failure
  return client
}

/** Opens a connection that listens to channels. After an outage, it subscribes again automatically. */
export function openRedisListener(options: { url: string; name: string }): Redis {
  if (options.url === noRedis) return openNothing()
  const client = new Redis(options.url, {
    connectionName: options.name,
    keepAlive: keepAliveMs,
    retryStrategy: attempt => Math.min(50 * attempt, 500),
    maxRetriesPerRequest: null,
  })
  client.on('error', () => {})
  return client
}

/** Returns a client that was ended before it connected. */
function openNothing(): Redis {
  const client = new Redis({ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  client.disconnect()
  return client
}

/** A Lua script and the name under which Redis caches it. */
export interface Script {
  text: string
  sha: string
}

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script by its name. Sends its text if Redis has not cached it. */
export async function runScript(
  redis: RedisClient,
  { text, sha }: Script,
  names: string[],
  args: (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, names.length, ...names, ...args)
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return await redis.eval(text, names.length, ...names, ...args)
  }
}
