import type { Clock } from '../../platform/clock.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'

/** Counts tries by name, over all processes. While Redis is away each process counts by itself. */
export interface TryCounter {
  /** Counts one more try; answers how many there were in the window, and when it ends. */
  count(name: string): Promise<Tries>
  /** Takes one try back. */
  forgive(name: string): Promise<void>
  /** Takes all of them back. */
  forget(name: string): Promise<void>
}

export interface Tries {
  tries: number
  secondsLeft: number
}

/** Names that a process remembers by itself before it forgets the ended windows. */
const maxRemembered = 10_000

/** Opens a counter whose windows last `windowSeconds` from the first try. */
export function openTryCounter(options: {
  redis: RedisClient
  prefix: string
  windowSeconds: number
  clock: Clock
}): TryCounter {
  const { redis, prefix, windowSeconds, clock } = options
  const own = new Map<string, { tries: number; endsAt: number }>()

  return {
    async count(name) {
      const here = countHere(name)
      try {
        const [tries, secondsLeft] = pair(await redis.eval(countInRedis, 1, prefix + name, windowSeconds))
        return { tries, secondsLeft }
      } catch {
        return here
      }
    },
    async forgive(name) {
      const window = own.get(name)
      if (window && window.tries > 0) window.tries -= 1
      await redis.eval(forgiveInRedis, 1, prefix + name).catch(() => {})
    },
    async forget(name) {
      own.delete(name)
      await redis.del(prefix + name).catch(() => {})
    },
  }

  /** Counted always, so that nothing is forgotten in the moment when Redis goes away. */
  function countHere(name: string): Tries {
    const now = clock.now()
    if (own.size > maxRemembered) {
      for (const [known, { endsAt }] of own) if (endsAt <= now) own.delete(known)
    }
    const known = own.get(name)
    const window = known && known.endsAt > now ? known : { tries: 0, endsAt: now + windowSeconds * 1000 }
    window.tries += 1
    own.set(name, window)
    return { tries: window.tries, secondsLeft: Math.ceil((window.endsAt - now) / 1000) }
  }
}

const countInRedis = `
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('TTL', KEYS[1])}`

const forgiveInRedis = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
return 1`

function pair(answer: unknown): [number, number] {
  if (Array.isArray(answer)) return [Number(answer[0]), Number(answer[1])]
  throw new Error('Redis answered no pair')
}
