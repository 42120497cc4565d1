import { createHash } from 'node:crypto'
import { networkOf, networksPerSite, siteOf } from '../../platform/http/network-of.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, script } from '../../platform/redis/run-script.ts'
import { Problem } from '../../schema/errors.ts'
import type { Caller } from './caller.ts'

/** Counts management calls, per caller and per address, over all processes; by itself while Redis is away. */
export interface CallRates {
  /**
   * Throws `rate_limit_exceeded` where this process knows that the address has used up its share. Asks nobody: what
   * is refused here costs no look at its credential.
   */
  check(address: string): void
  /** Counts one call, by one script. Throws `rate_limit_exceeded` where its address or its caller has had too many. */
  count(call: { address: string; caller?: Caller | undefined }): Promise<void>
}

/** How long calls count, in seconds. */
export const callWindowSeconds = 10

interface Share {
  name: string
  most: number
}

/** Opens the counters. An IPv6 address counts as its /64, and four of these as their /48, a caller as the person or the key. */
export function openCallRates(options: {
  redis: RedisClient
  prefix: string
  callsPerCaller: number
  callsPerAddress: number
}): CallRates {
  const { redis, prefix, callsPerCaller, callsPerAddress } = options
  const windows = openWindows({ windowMs: callWindowSeconds * 1000 })
  // One hash tag for all, so that one script may count two of them on a cluster as well.
  const named = (kind: string, who: string) => `${prefix}{calls}:${kind}:${who}`
  const ofAddress = (address: string): Share[] => {
    const site = siteOf(address)
    const network = { name: named('address', networkOf(address)), most: callsPerAddress }
    return site
      ? [network, { name: named('site', site), most: networksPerSite * callsPerAddress }]
      : [network]
  }
  const ofCaller = (caller: Caller): Share => ({ name: named('caller', idOf(caller)), most: callsPerCaller })

  return {
    check(address) {
      for (const { name, most } of ofAddress(address)) {
        const known = windows.look(name)
        if (known && known.count >= most) throw refusal(known.leftMs)
      }
    },
    async count({ address, caller }) {
      const shares = [...ofAddress(address), ...(caller ? [ofCaller(caller)] : [])]
      const here = shares.map(({ name }) => windows.count(name))
      const names = shares.map(({ name }) => name)
      const counted = await runScript(redis, countAll, names, [callWindowSeconds * 1000]).then(
        pairs,
        () => here,
      )
      for (const [index, { name, most }] of shares.entries()) {
        const { count, leftMs } = counted[index] ?? here[index]!
        if (count >= most) windows.fill(name, { count, leftMs })
        if (count > most) throw refusal(leftMs)
      }
    },
  }
}

/** A person is one caller with any number of sessions. */
function idOf(caller: Caller): string {
  const id = caller.kind === 'session' ? `${caller.accountId} ${caller.userId}` : caller.keyId
  return createHash('sha256').update(id).digest('base64url')
}

function refusal(leftMs: number): Problem {
  return new Problem('rate_limit_exceeded', { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) })
}

const countAll = script(`
local counted = {}
for index, name in ipairs(KEYS) do
  counted[index * 2 - 1] = redis.call('INCR', name)
  if counted[index * 2 - 1] == 1 then redis.call('PEXPIRE', name, ARGV[1]) end
  counted[index * 2] = redis.call('PTTL', name)
end
return counted`)

function pairs(answer: unknown): { count: number; leftMs: number }[] {
  if (!Array.isArray(answer)) throw new Error('Redis answered no list')
  const numbers = answer.map(Number)
  return numbers.flatMap((count, index) =>
    index % 2 === 0 ? [{ count, leftMs: numbers[index + 1] ?? 0 }] : [],
  )
}

/** Counts by name in windows of one length, in the memory of this process. */
export interface Windows {
  /** Counts one more. */
  count(name: string): Counted
  /** The window that runs, if one does. */
  look(name: string): Counted | undefined
  /** Takes over what somebody else counted. */
  fill(name: string, counted: Counted): void
}

export interface Counted {
  count: number
  /** Until the window ends, in milliseconds. */
  leftMs: number
}

/** Opens them. A window begins with its first count; of too many names the oldest are forgotten. */
export function openWindows(options: {
  windowMs: number
  maxNames?: number
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
}): Windows {
  const { windowMs, maxNames = 100_000, now = () => performance.now() } = options
  /** In the order in which they began. */
  const windows = new Map<string, { count: number; endsAt: number }>()

  const running = (name: string) => {
    const window = windows.get(name)
    return window && window.endsAt > now() ? window : undefined
  }
  const begin = (name: string, window: { count: number; endsAt: number }) => {
    windows.delete(name)
    if (windows.size >= maxNames) windows.delete(windows.keys().next().value!)
    windows.set(name, window)
    return window
  }
  const told = ({ count, endsAt }: { count: number; endsAt: number }) => ({ count, leftMs: endsAt - now() })

  return {
    count(name) {
      const window = running(name) ?? begin(name, { count: 0, endsAt: now() + windowMs })
      window.count += 1
      return told(window)
    },
    look(name) {
      const window = running(name)
      return window && told(window)
    },
    fill: (name, { count, leftMs }) => void begin(name, { count, endsAt: now() + leftMs }),
  }
}
