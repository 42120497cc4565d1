import { createHash } from 'node:crypto'
import { Cluster, Redis } from 'ioredis'

export type RedisClient = Redis | Cluster

/** Idle time before TCP probes a connection, in milliseconds. A peer that left the network is noticed within 15 seconds. */
const keepAliveMs = 5_000

/** The REDIS_URL of a system without Redis. */
export const noRedis = 'none'

/**
 * Opens a client that fails fast: a command fails if it is not answered within `commandTimeoutMs` (100 by default), no
 * command queues while Redis is unavailable, and the client reconnects by itself. The client of `noRedis` refuses every
 * command at once.
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

/** A connection that listens to channels; it subscribes again by itself after an outage. */
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

/** A client that has ended before it ever connected. */
function openNothing(): Redis {
  const client = new Redis({ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  client.disconnect()
  return client
}

/** A Lua script and the name under which Redis remembers it. */
export interface Script {
  text: string
  sha: string
}

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script by its name; a Redis that does not know it yet gets its text. */
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
