import type { Clock } from '../platform/clock.ts'
import type { RedisClient } from '../platform/redis/open-redis.ts'

const minuteMs = 60_000

/** The requests and tokens of one credential. */
export interface Use {
  requests: number
  tokens: number
}

/** The use of one credential in the last minute, by all processes. */
export interface MinuteUse {
  /** The use that a sliding minute has now, estimated from two minutes of the clock. */
  now(): Use
  /** Returns milliseconds until the next minute of the clock begins. */
  untilNextMs(): number
  add(use: Partial<Use>): void
  /** Adds the use since the last exchange to Redis, and reads the use of all processes. Never throws. */
  exchange(redis: RedisClient, name: string): Promise<void>
}

/** Opens the count of one credential. Without exchanges, it counts this process alone. */
export function openMinuteUse(clock: Clock): MinuteUse {
  let minute = minuteOf(clock)
  let current = noUse()
  let previous = noUse()
  let unsent = noUse()

  const roll = () => {
    const passed = minuteOf(clock) - minute
    if (passed <= 0) return
    previous = passed === 1 ? sumOf(current, unsent) : noUse()
    current = noUse()
    unsent = noUse()
    minute += passed
  }
  return {
    now() {
      roll()
      const share = 1 - (clock.now() % minuteMs) / minuteMs
      const here = sumOf(current, unsent)
      return {
        requests: here.requests + previous.requests * share,
        tokens: here.tokens + previous.tokens * share,
      }
    },
    untilNextMs: () => minuteMs - (clock.now() % minuteMs),
    add({ requests = 0, tokens = 0 }) {
      roll()
      unsent.requests += requests
      unsent.tokens += tokens
    },
    async exchange(redis, name) {
      roll()
      const sent = unsent
      const at = minute
      unsent = noUse()
      current = sumOf(current, sent)
      const read = await readShared(redis, { name, minute: at, sent }).catch(() => undefined)
      if (!read || minute !== at) return
      current = read.current
      previous = read.previous
    },
  }
}

/** Life of a minute's counts in Redis, in seconds. */
const lifeSeconds = 180

async function readShared(
  redis: RedisClient,
  { name, minute, sent }: { name: string; minute: number; sent: Use },
): Promise<{ current: Use; previous: Use } | undefined> {
  const key = `${name}:${minute}`
  const answers = await redis
    .pipeline()
    .hincrby(key, 'requests', sent.requests)
    .hincrby(key, 'tokens', sent.tokens)
    .expire(key, lifeSeconds)
    .hmget(`${name}:${minute - 1}`, 'requests', 'tokens')
    .exec()
  const [requests, tokens, , before] = (answers ?? []).map(([error, answer]) => (error ? undefined : answer))
  if (typeof requests !== 'number' || typeof tokens !== 'number' || !Array.isArray(before)) return undefined
  return {
    current: { requests, tokens },
    previous: { requests: Number(before[0] ?? 0), tokens: Number(before[1] ?? 0) },
  }
}

function minuteOf(clock: Clock): number {
  return Math.floor(clock.now() / minuteMs)
}

function noUse(): Use {
  return { requests: 0, tokens: 0 }
}

function sumOf(a: Use, b: Use): Use {
  return { requests: a.requests + b.requests, tokens: a.tokens + b.tokens }
}
