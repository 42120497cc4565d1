import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { Problem } from '../../schema/errors.ts'

/** Counts attempts by name, over all processes. While Redis is unavailable, each process counts by itself. */
export interface TryCounter {
  /**
   * Counts one more attempt. Resolves to the number of attempts in the window, and to the end of the window. The window of
   * a name lasts `windowSeconds`, or as long as the windows of the counter.
   */
  count(name: string, windowSeconds?: number): Promise<Tries>
  /** Subtracts one attempt. */
  takeBack(name: string): Promise<void>
  /** Resets the count of the name. */
  clear(name: string): Promise<void>
}

export interface Tries {
  tries: number
  secondsLeft: number
}

interface Window {
  tries: number
  endsAt: number
}

/** Prefix of the names of counters in Redis, after the common prefix. */
export const triesPrefix = 'tries:'

/**
 * Opens a counter. A window lasts `windowSeconds` from its first attempt. Names are stored as hashes, so that long
 * names take no more memory. In memory, the process keeps the counts of the `maxRemembered` most recently used names.
 */
export function openTryCounter(options: {
  redis: RedisClient
  prefix: string
  windowSeconds: number
  clock: Clock
  maxRemembered?: number | undefined
}): TryCounter {
  const { redis, prefix, windowSeconds: defaultSeconds, clock, maxRemembered = 100_000 } = options
  /** The windows, in the order in which they end. */
  const own = new LRUCache<string, Window>({ max: maxRemembered })
  const redisName = (name: string) =>
    `${prefix}${triesPrefix}${createHash('sha256').update(name).digest('base64url')}`

  return {
    async count(name, windowSeconds = defaultSeconds) {
      const counter = redisName(name)
      const here = countHere(counter, windowSeconds)
      try {
        const [tries, secondsLeft] = pair(await redis.eval(countInRedis, 1, counter, windowSeconds))
        return { tries, secondsLeft }
      } catch {
        return here
      }
    },
    async takeBack(name) {
      const counter = redisName(name)
      const window = own.get(counter)
      if (window && --window.tries < 1) own.delete(counter)
      await redis.eval(uncountScript, 1, counter).catch(() => {})
    },
    async clear(name) {
      const counter = redisName(name)
      own.delete(counter)
      await redis.del(counter).catch(() => {})
    },
  }

  /**
   * Counts an attempt in this process. This is always done too, so that the counts are known when Redis becomes
   * unavailable.
   */
  function countHere(counter: string, windowSeconds: number): Tries {
    const now = clock.monotonic()
    const window = windowOf(counter, now, windowSeconds)
    window.tries += 1
    return { tries: window.tries, secondsLeft: Math.ceil((window.endsAt - now) / 1000) }
  }

  /** Returns the running window, or a new one. */
  function windowOf(counter: string, now: number, windowSeconds: number): Window {
    const known = own.get(counter)
    if (known && known.endsAt > now) return known
    const window = { tries: 0, endsAt: now + windowSeconds * 1000 }
    own.set(counter, window)
    return window
  }
}

const countInRedis = `
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('TTL', KEYS[1])}`

const uncountScript = `
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('DECR', KEYS[1]) < 1 then redis.call('DEL', KEYS[1]) end
return 1`

function pair(answer: unknown): [number, number] {
  if (Array.isArray(answer)) return [Number(answer[0]), Number(answer[1])]
  throw new Error('Redis answered no pair')
}

/** The maximum number of attempts under a name, per window. */
export interface TryLimit {
  name: string
  max: number
}

/**
 * Counts one more attempt. Throws `too_many_tries` if the count exceeds the limit. The refused attempt stays counted.
 */
export async function countTry(tries: TryCounter, { name, max }: TryLimit): Promise<void> {
  const counted = await tries.count(name)
  if (counted.tries > max)
    throw new Problem('too_many_tries', { retryAfterSeconds: Math.max(1, counted.secondsLeft) })
}
