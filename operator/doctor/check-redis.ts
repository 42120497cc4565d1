import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Cluster, type Redis } from 'ioredis'
import type { Config } from '../../platform/config/read-config.ts'
import { noRedis, openRedis, type RedisClient } from '../../platform/redis/open-redis.ts'
import { type Finding, findingsOf, type Result } from './check.ts'
import { readClock, skewFindings, skewOf } from './clock-skew.ts'
import { withinOwnTime } from './run-checks.ts'
import { unencryptedFindings } from './unencrypted-connection.ts'

/** Time in which a server accepts the connection, and time in which it answers a command, in milliseconds. */
const connectTimeoutMs = 4_000
const commandTimeoutMs = 10_000

/** The oldest supported version, of Redis and Valkey. */
const minimumVersion = 7

/** Maximum shares of the memory and of the connections that may be in use. */
const maxShare = 0.9

/** Checks that Redis answers and writes, is new enough, and evicts no counters. Throws the reason if it does not answer. */
export async function checkRedis(config: Config): Promise<Result> {
  if (config.redisUrl === noRedis) return { skipped: 'REDIS_URL is none' }
  const redis = openRedis({
    url: config.redisUrl,
    cluster: config.redisCluster,
    name: 'doctor',
    commandTimeoutMs,
  })
  try {
    await connect(redis)
    return await examine(redis, config)
  } finally {
    redis.disconnect()
  }
}

/** Waits until the client is ready. Throws its last error if it is not in time. */
async function connect(redis: RedisClient): Promise<void> {
  let fault: unknown
  redis.on('error', error => {
    fault = error instanceof AggregateError ? error.errors[0] : error
  })
  await withinOwnTime(connectTimeoutMs, once(redis, 'ready')).catch(error => {
    throw fault ?? error
  })
}

async function examine(redis: RedisClient, config: Config): Promise<Result> {
  const { redisUrl, redisPrefix } = config
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis]
  const states = await Promise.all(nodes.map(readState))
  const [first] = states
  const clock = await readClock(() => readTime(nodes[0]!))
  const name = `${redisPrefix}{doctor}:${randomUUID()}`
  await redis.set(name, '1', 'PX', 10_000)
  await redis.del(name)
  const isPlain = redisUrl.startsWith('redis:')
  return {
    findings: [
      ...states.flatMap(state => faultsOf(state, config)),
      ...(isPlain ? await unencryptedFindings(redisUrl, 'Use rediss:// in REDIS_URL.') : []),
      ...skewFindings('Redis', clock),
    ],
    summary: `${first?.get('redis_version')}, ${first?.get('used_memory_human')} used, ${nodes.length === 1 ? '' : `${nodes.length} masters, `}clock ${skewOf(clock)} ms`,
  }
}

/** Reads the fields of INFO. Services that forbid CONFIG allow it. */
async function readState(redis: Redis): Promise<Map<string, string>> {
  const text = await redis.info()
  return new Map(
    Array.from(text.matchAll(/^([a-z_0-9]+):(.*?)\r?$/gm), ([, name = '', value = '']) => [name, value]),
  )
}

async function readTime(redis: Redis): Promise<number> {
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number)
  return seconds * 1000 + microseconds / 1000
}

/** Returns the findings about a server with these fields of INFO. */
export function faultsOf(
  state: ReadonlyMap<string, string>,
  { redisCluster }: Pick<Config, 'redisCluster'>,
): Finding[] {
  const text = (name: string) => state.get(name) ?? ''
  const number = (name: string) => Number(state.get(name) ?? 0)
  const [used, max] = [number('used_memory'), number('maxmemory')]
  const isLimited = max > 0
  const evicts = isLimited && text('maxmemory_policy') !== 'noeviction'
  const [clients, maxClients] = [number('connected_clients'), number('maxclients')]
  return findingsOf([
    [
      Number.parseInt(text('redis_version'), 10) < minimumVersion,
      `the server has version ${text('redis_version')}`,
      `Use Redis or Valkey ${minimumVersion} or newer.`,
    ],
    [
      text('role') === 'slave',
      'the server is a replica and accepts no writes',
      'Point REDIS_URL to the primary.',
    ],
    [
      !redisCluster && text('cluster_enabled') === '1',
      'the server is part of a cluster',
      'Set REDIS_CLUSTER=true.',
    ],
    [
      evicts,
      `maxmemory-policy is ${text('maxmemory_policy')}: evicted counters let clients exceed their rates`,
      'Set maxmemory-policy to noeviction.',
    ],
    [
      isLimited && !evicts && used > maxShare * max,
      `${Math.round((100 * used) / max)} % of maxmemory are in use: beyond it, each process counts rates by itself`,
      'Raise maxmemory, and keep no other data in this Redis.',
    ],
    [
      text('rdb_last_bgsave_status') === 'err' || text('aof_last_write_status') === 'err',
      'the server cannot save to its disk, and then refuses writes',
      'Free its disk. Rubicon needs no persistence: save "" and appendonly no switch it off.',
    ],
    [
      maxClients > 0 && clients > maxShare * maxClients,
      `${clients} of ${maxClients} connections are in use`,
      'Raise maxclients.',
    ],
  ])
}
