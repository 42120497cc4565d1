import type { Clock } from '../platform/clock.ts'
import { type Counts, exchangeMinuteCounts, minuteMs, minuteOf } from '../platform/redis/minute-counts.ts'
import type { RedisClient } from '../platform/redis/open-redis.ts'

/** The requests and tokens of one credential. */
export interface Use {
  requests: number
  tokens: number
}

/** The use of one credential in the last minute, by all processes. */
export interface MinuteUse {
  /** Returns the use in the last 60 seconds, estimated from this minute and the one before. */
  now(): Use
  /** Returns milliseconds until the next minute of the clock begins. */
  untilNextMs(): number
  add(use: Partial<Use>): void
  /**
   * Adds the use since the last exchange to Redis, and reads the use of all processes. If that fails, the next exchange
   * adds it. Does nothing while another exchange runs. Never throws.
   */
  exchange(redis: RedisClient, name: string): Promise<void>
}

/** Opens the count of one credential. Without exchanges, it counts this process only. */
export function openMinuteUse(clock: Clock): MinuteUse {
  let minute = minuteOf(clock)
  /** The use of all processes that Redis had, this process's use that is being sent, and its use since. */
  let current = noUse()
  let sent = noUse()
  let unsent = noUse()
  let previous = noUse()

  let isExchanging = false

  const here = () => sumOf(sumOf(current, sent), unsent)
  const roll = () => {
    const passed = minuteOf(clock) - minute
    if (passed <= 0) return
    previous = passed === 1 ? here() : noUse()
    current = noUse()
    sent = noUse()
    unsent = noUse()
    minute += passed
  }
  return {
    now() {
      roll()
      const share = 1 - (clock.now() % minuteMs) / minuteMs
      const { requests, tokens } = here()
      return {
        requests: requests + previous.requests * share,
        tokens: tokens + previous.tokens * share,
      }
    },
    untilNextMs: () => minuteMs - (clock.now() % minuteMs),
    add({ requests = 0, tokens = 0 }) {
      roll()
      unsent.requests += requests
      unsent.tokens += tokens
    },
    async exchange(redis, name) {
      if (isExchanging) return
      isExchanging = true
      roll()
      const at = minute
      sent = unsent
      unsent = noUse()
      const read = await readShared(redis, { name, minute: at, sent }).catch(() => undefined)
      isExchanging = false
      if (minute !== at) return
      if (read) {
        current = read.current
        previous = read.previous
      } else unsent = sumOf(sent, unsent)
      sent = noUse()
    },
  }
}

async function readShared(
  redis: RedisClient,
  { name, minute, sent }: { name: string; minute: number; sent: Use },
): Promise<{ current: Use; previous: Use }> {
  const counts = new Map(Object.entries(sent))
  const [current, previous] = await exchangeMinuteCounts(redis, { name, minute, minutes: 2, sent: counts })
  return { current: useOf(current), previous: useOf(previous) }
}

function useOf(counts: Counts | undefined): Use {
  return { requests: counts?.get('requests') ?? 0, tokens: counts?.get('tokens') ?? 0 }
}

function noUse(): Use {
  return { requests: 0, tokens: 0 }
}

function sumOf(a: Use, b: Use): Use {
  return { requests: a.requests + b.requests, tokens: a.tokens + b.tokens }
}
