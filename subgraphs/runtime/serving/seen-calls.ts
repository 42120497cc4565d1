import { openWindows } from '../../../domain/callers/windows.ts'
import type { RedisClient } from '../../../platform/redis/open-redis.ts'
import { maxAgeMs } from './sign-call.ts'

/** Signed calls that came already, at any process of a subgraph; at this one alone while Redis is away. */
export interface SeenCalls {
  /** Whether a call comes for the first time; it has come from now on. */
  isFirst(once: string): Promise<boolean>
}

/** A call may come so much later, or earlier by the clock of its gateway, in milliseconds. */
const rememberedMs = 2 * maxAgeMs + 1_000

/** Opens them. A process remembers the last 200,000 by itself. */
export function openSeenCalls({ redis, prefix }: { redis: RedisClient; prefix: string }): SeenCalls {
  const seen = openWindows({ windowMs: rememberedMs, maxNames: 200_000 })
  return {
    async isFirst(once) {
      if (seen.count(once).count > 1) return false
      return redis.set(`${prefix}signed:${once}`, '1', 'PX', rememberedMs, 'NX').then(
        answer => answer === 'OK',
        () => true,
      )
    },
  }
}
