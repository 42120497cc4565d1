import { once } from 'node:events'
import type { Config } from '../config/read-config.ts'
import { type News, openNews } from './news.ts'
import { openRedis, type RedisClient } from './open-redis.ts'

/** Maximum time that a command waits for its connection to Redis, in milliseconds. Then it continues without one. */
const connectMs = 1_000

/** Runs the work of a command with connections to Redis, and closes them. */
export async function withRedis<Result>(
  config: Config,
  { name }: { name: string },
  work: (connections: { redis: RedisClient; news: News }) => Promise<Result>,
): Promise<Result> {
  const { redisUrl: url, redisCluster: cluster } = config
  const redis = openRedis({ url, cluster, name })
  const news = openNews({ redis, url, cluster, prefix: config.redisPrefix, name })
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(connectMs) }).catch(() => {})
    return await work({ redis, news })
  } finally {
    news.close()
    redis.disconnect()
  }
}
