import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { Problem } from '../../schema/errors.ts'

/** Counts tries by name, over all processes. While Redis is away each process counts by itself. */
export interface TryCounter {
  /** Counts one more try; answers how many there were in the window, and when it ends. */
  count(name: string): Promise<Tries>
  /** Takes one try back. A name without tries leaves nothing behind. */
  forgive(name: string): Promise<void>
  /** Takes all of them back. */
  forget(name: string): Promise<void>
}

export interface Tries {
  tries: number
  secondsLeft: number
}

interface Window {
  tries: number
  endsAt: number
}

/** What every counter's name in Redis begins with, after the prefix of all. */
export const triesPrefix = 'tries:'

/**
 * Opens a counter whose windows last `windowSeconds` from the first try. Names are kept as their hashes, so that
 * nobody fills a memory with long ones; a process remembers `maxRemembered` of them by itself, the newest.
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
  const own = new Map<string, Window>()
  const placeOf = (name: string) =>
    `${prefix}${triesPrefix}${createHash('sha256').update(name).digest('base64url')}`

  return {
    async count(name) {
      const place = placeOf(name)
      const here = countHere(place)
      try {
        const [tries, secondsLeft] = pair(await redis.eval(countInRedis, 1, place, windowSeconds))
        return { tries, secondsLeft }
      } catch {
        return here
      }
    },
    async forgive(name) {
      const place = placeOf(name)
      const window = own.get(place)
      if (window && --window.tries < 1) own.delete(place)
      await redis.eval(forgiveInRedis, 1, place).catch(() => {})
    },
    async forget(name) {
      const place = placeOf(name)
      own.delete(place)
      await redis.del(place).catch(() => {})
    },
  }

  /** Counted always, so that nothing is forgotten in the moment when Redis goes away. */
  function countHere(place: string): Tries {
    const now = clock.monotonic()
    const window = windowOf(place, now)
    window.tries += 1
    return { tries: window.tries, secondsLeft: Math.ceil((window.endsAt - now) / 1000) }
  }

  /** The window that runs, or a new one, for which the oldest is forgotten where there are too many. */
  function windowOf(place: string, now: number): Window {
    const known = own.get(place)
    if (known && known.endsAt > now) return known
    own.delete(place)
    if (own.size >= maxRemembered) own.delete(own.keys().next().value!)
    const window = { tries: 0, endsAt: now + windowSeconds * 1000 }
    own.set(place, window)
    return window
  }
}

const countInRedis = `
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('TTL', KEYS[1])}`

const forgiveInRedis = `
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('DECR', KEYS[1]) < 1 then redis.call('DEL', KEYS[1]) end
return 1`

function pair(answer: unknown): [number, number] {
  if (Array.isArray(answer)) return [Number(answer[0]), Number(answer[1])]
  throw new Error('Redis answered no pair')
}

/** So many tries under a name, in the window of tries. */
export interface TryLimit {
  name: string
  most: number
}

/** Counts one more try. Throws `too_many_tries` when the limit is used up; the try counts all the same. */
export async function countTry(tries: TryCounter, { name, most }: TryLimit): Promise<void> {
  const counted = await tries.count(name)
  if (counted.tries > most)
    throw new Problem('too_many_tries', { retryAfterSeconds: Math.max(1, counted.secondsLeft) })
}
