import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { Problem } from '../../schema/errors.ts'

/** Counts tries by name, over all processes. While Redis is down each process counts by itself. */
export interface TryCounter {
  /** Counts one more try. Resolves to how many there are in the window, and to when it ends. */
  count(name: string): Promise<Tries>
  /** Takes one try back. */
  takeBack(name: string): Promise<void>
  /** Takes all tries of the name back. */
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
 * Opens a counter whose windows last `windowSeconds` from the first try. Names are stored as hashes, so that
 * long ones take no more memory; this process itself counts the `maxRemembered` most recently used ones.
 */
export function openTryCounter(options: {
  redis: RedisClient
  prefix: string
  windowSeconds: number
  clock: Clock
  maxRemembered?: number | undefined
}): TryCounter {
  const { redis, prefix, windowSeconds, clock, maxRemembered = 100_000 } = options
  /** In the order in which their windows end. */
  const own = new LRUCache<string, Window>({ max: maxRemembered })
  const redisName = (name: string) =>
    `${prefix}${triesPrefix}${createHash('sha256').update(name).digest('base64url')}`

  return {
    async count(name) {
      const counter = redisName(name)
      const here = countHere(counter)
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

  /** Counts in this process too, always: so the counts are there the moment that Redis goes down. */
  function countHere(counter: string): Tries {
    const now = clock.monotonic()
    const window = windowOf(counter, now)
    window.tries += 1
    return { tries: window.tries, secondsLeft: Math.ceil((window.endsAt - now) / 1000) }
  }

  /** Returns the running window, or a new one. */
  function windowOf(counter: string, now: number): Window {
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

/** The most tries under a name, per window of tries. */
export interface TryLimit {
  name: string
  max: number
}

/** Counts one more try. Throws `too_many_tries` where that is more than the limit; the try stays counted. */
export async function countTry(tries: TryCounter, { name, max }: TryLimit): Promise<void> {
  const counted = await tries.count(name)
  if (counted.tries > max)
    throw new Problem('too_many_tries', { retryAfterSeconds: Math.max(1, counted.secondsLeft) })
}
