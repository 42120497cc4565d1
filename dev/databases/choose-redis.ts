import { explainFault } from '../../platform/process/explain-fault.ts'
import { noRedis, openRedis } from '../../platform/redis/open-redis.ts'
import type { Home } from '../home/open-home.ts'
import type { Keeper } from '../processes/keeper.ts'
import { askRedis } from '../services/ask-redis.ts'
import { findRedisServer } from '../services/ensure-redis-server.ts'
import { startRedis } from '../services/start-redis.ts'
import type { ChosenService } from './choose-postgres.ts'

const withoutRedis = 'limits are counted in each process'

/**
 * The Redis to use: the one that `REDIS_URL` names, else one that answers on this machine's usual port, else a
 * server of our own, else none. Throws one line when the one that is named does not answer.
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
  if ((await askRedis(usualPort, 'PING'))?.startsWith('+PONG'))
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
