import { createHash } from 'node:crypto'
import { type ChainableCommander, Cluster, type ClusterOptions, Redis } from 'ioredis'

export type RedisClient = Redis | Cluster

/**
 * Idle time before TCP probes a connection, in milliseconds. A peer that is no longer reachable is detected within 15
 * seconds.
 */
const keepAliveMs = 5_000

/**
 * Minimum time without an answer after which a connection with waiting commands counts as lost, in milliseconds. Until then,
 * each command waits; afterwards, commands fail at once until the server answers again.
 */
const minSilenceMs = 2_000

/** The REDIS_URL of a system without Redis. */
export const noRedis = 'none'

interface RedisOptions {
  /** The address of the server, or addresses of nodes of the cluster, separated by commas. */
  url: string
  cluster: boolean
  name: string
}

/**
 * Opens a client that fails fast: a command fails if Redis does not answer within `commandTimeoutMs` (100 by default),
 * no command is queued while Redis is unavailable, and the client reconnects automatically. In a cluster, the same applies
 * to each node. The client of `noRedis` rejects every command immediately.
 */
export function openRedis(options: RedisOptions & { commandTimeoutMs?: number }): RedisClient {
  const { commandTimeoutMs = 100 } = options
  if (options.url === noRedis) return openNothing()
  const behaviour = {
    commandTimeout: commandTimeoutMs,
    socketTimeout: Math.max(minSilenceMs, commandTimeoutMs),
    maxRetriesPerRequest: 0,
  }
  return openClient(options, { behaviour, enableOfflineQueue: false })
}

/** Interval at which a listener reads which nodes the cluster has, in milliseconds. It sends no commands that would show it. */
const slotsRefreshMs = 1_000

/**
 * Opens a connection that listens to channels. After an outage, it subscribes again automatically. In a cluster, it
 * listens at one node, to which the others pass all messages, and at another one if that node fails.
 */
export function openRedisListener(options: RedisOptions): RedisClient {
  if (options.url === noRedis) return openNothing()
  const behaviour = { maxRetriesPerRequest: null }
  return openClient(options, { behaviour, enableOfflineQueue: true, slotsRefreshInterval: slotsRefreshMs })
}

interface Behaviour {
  commandTimeout?: number
  socketTimeout?: number
  maxRetriesPerRequest: number | null
}

function openClient(
  options: RedisOptions,
  { behaviour, ...ofCluster }: ClusterOptions & { behaviour: Behaviour; enableOfflineQueue: boolean },
): RedisClient {
  const connection = {
    ...behaviour,
    connectionName: options.name,
    keepAlive: keepAliveMs,
    // After a failover behind the same address, the connection may still lead to the server that was demoted.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  }
  const client = options.cluster
    ? openCluster(options.url.split(','), connection, ofCluster)
    : new Redis(options.url, {
        ...connection,
        enableOfflineQueue: ofCluster.enableOfflineQueue,
        retryStrategy: attempt => Math.min(50 * attempt, 500),
      })
  client.on('error', () => {}) // every command reports its own failure
  return client
}

/** Opens a cluster. A command whose node is unavailable fails at once instead of waiting for a failover. */
function openCluster(nodes: readonly string[], connection: Behaviour, options: ClusterOptions): Cluster {
  const { username, password, protocol } = new URL(nodes[0] ?? '')
  const isEncrypted = protocol === 'rediss:'
  return new Cluster([...nodes], {
    ...options,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // A certificate names hosts, not addresses.
    ...(isEncrypted && { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions: {
      ...connection,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(isEncrypted && { tls: {} }),
    },
  })
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

/**
 * Sends the commands of a pipeline and resolves to their answers. Throws if the pipeline cannot be sent. If a node of a cluster
 * has just failed, ioredis throws at the call, and `catch` on its result would not see that.
 */
export async function runPipeline(pipeline: ChainableCommander): Promise<[Error | null, unknown][]> {
  return (await pipeline.exec()) ?? []
}
