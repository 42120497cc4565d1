import { networkOf, networksPerSite, siteOf } from '../../platform/http/addresses.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { type NamedLimit, openSharedWindows } from '../../platform/windows/shared-windows.ts'
import { Problem } from '../../schema/errors.ts'

/**
 * Limits management calls per network, over all processes, or per process while Redis is unavailable. The allowance
 * `management_calls` limits them per account.
 */
export interface CallRates {
  /**
   * Throws `rate_limit_exceeded` if this process knows that the limit of the address is used up. Sends nothing to
   * Redis, so that a refusal costs almost nothing.
   */
  check(address: string): void
  /** Counts one call with one Redis script. Throws `rate_limit_exceeded` if the address has made too many calls. */
  count(address: string): Promise<void>
}

/** The length of a window, in seconds. */
export const callWindowSeconds = 10

/**
 * Opens the counters. An IPv6 address counts as its /64, with a wider limit for its /48.
 */
export function openCallRates(options: {
  redis: RedisClient
  prefix: string
  callsPerAddress: number
}): CallRates {
  const { redis, prefix, callsPerAddress } = options
  const windows = openSharedWindows({ redis, prefix, windowMs: callWindowSeconds * 1000 })
  const limitsOf = (address: string): NamedLimit[] => {
    const site = siteOf(address)
    const network = { name: `{calls}:address:${networkOf(address)}`, max: callsPerAddress }
    return site
      ? [network, { name: `{calls}:site:${site}`, max: networksPerSite * callsPerAddress }]
      : [network]
  }

  return {
    check(address) {
      for (const { name, max } of limitsOf(address)) {
        const known = windows.here.peek(name)
        if (known && known.count >= max) throw refusal(known.leftMs)
      }
    },
    async count(address) {
      const counted = await windows.count(limitsOf(address))
      for (const { isCounted, leftMs } of counted) if (!isCounted) throw refusal(leftMs)
    },
  }
}

function refusal(leftMs: number): Problem {
  return new Problem('rate_limit_exceeded', { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) })
}
