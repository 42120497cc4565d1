import { explainFault } from '../../platform/process/explain-fault.ts'
import { openRedis } from '../../platform/redis/open-redis.ts'
import type { Home } from '../home/open-home.ts'
import type { Keeper } from '../processes/keeper.ts'
import { askRedis } from '../services/ask-redis.ts'
import { ensureRedisServer } from '../services/ensure-redis-server.ts'
import { startRedis } from '../services/start-redis.ts'
import type { ChosenService } from './choose-postgres.ts'

const usualPort = 6379

/**
 * The Redis to use: the one that `REDIS_URL` names, else one that answers on this machine's usual port, else a
 * server of our own. Throws one line when there is none.
 */
export async function chooseRedis(
  keeper: Keeper,
  options: { env: NodeJS.ProcessEnv; home: Home; port: number; rank: number },
): Promise<ChosenService> {
  const { env, home, port, rank } = options
  if (env.REDIS_URL) {
    await requireRedis(env.REDIS_URL, env.REDIS_CLUSTER === 'true')
    return { url: env.REDIS_URL, origin: 'REDIS_URL' }
  }
  if ((await askRedis(usualPort, 'PING'))?.startsWith('+PONG'))
    return { url: `redis://127.0.0.1:${usualPort}`, origin: 'found here' }

  const binary = await ensureRedisServer()
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
