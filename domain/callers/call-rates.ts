import { hash } from 'node:crypto'
import { networkOf, networksPerSite, siteOf } from '../../platform/http/addresses.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, script } from '../../platform/redis/open-redis.ts'
import { Problem } from '../../schema/errors.ts'
import { openWindows } from '../allowances/windows.ts'
import type { Caller } from './caller.ts'
import type { Operator } from './operators.ts'

/**
 * Limits management calls per caller and per network, over all processes; per process while Redis is down.
 */
export interface CallRates {
  /**
   * Throws `rate_limit_exceeded` where this process knows that the limit of the address is used up. Sends
   * nothing to Redis, so that a refusal costs almost nothing.
   */
  check(address: string): void
  /**
   * Counts one call, by one script. Throws `rate_limit_exceeded` where its address, or its caller or operator, has
   * made too many.
   */
  count(call: CountedCall): Promise<void>
}

interface CountedCall {
  address: string
  caller?: Caller | undefined
  operator?: Operator | undefined
}

/** The length of a window, in seconds. */
export const callWindowSeconds = 10

interface Limit {
  name: string
  max: number
}

/**
 * Opens the counters. An IPv6 address counts as its /64, with a wider limit for its /48; a caller as the
 * person, with any number of sessions, or as the key; an operator by his name.
 */
export function openCallRates(options: {
  redis: RedisClient
  prefix: string
  callsPerCaller: number
  callsPerAddress: number
}): CallRates {
  const { redis, prefix, callsPerCaller, callsPerAddress } = options
  const windows = openWindows({ windowMs: callWindowSeconds * 1000 })
  // One hash tag for all names, so that one script may touch several of them on a cluster.
  const named = (kind: string, who: string) => `${prefix}{calls}:${kind}:${who}`
  const ofAddress = (address: string): Limit[] => {
    const site = siteOf(address)
    const network = { name: named('address', networkOf(address)), max: callsPerAddress }
    return site ? [network, { name: named('site', site), max: networksPerSite * callsPerAddress }] : [network]
  }
  const ofCaller = (call: CountedCall): Limit[] => {
    const who = idOf(call)
    return who === undefined ? [] : [{ name: named('caller', hashed(who)), max: callsPerCaller }]
  }

  return {
    check(address) {
      for (const { name, max } of ofAddress(address)) {
        const known = windows.peek(name)
        if (known && known.count >= max) throw refusal(known.leftMs)
      }
    },
    async count(call) {
      const limits = [...ofAddress(call.address), ...ofCaller(call)]
      const here = limits.map(({ name }) => windows.count(name))
      const names = limits.map(({ name }) => name)
      const counted = await runScript(redis, countAll, names, [callWindowSeconds * 1000]).then(
        pairs,
        () => here,
      )
      for (const [index, { name, max }] of limits.entries()) {
        const { count, leftMs } = counted[index] ?? here[index]!
        if (count >= max) windows.set(name, { count, leftMs })
        if (count > max) throw refusal(leftMs)
      }
    },
  }
}

function idOf({ caller, operator }: CountedCall): string | undefined {
  if (operator) return `operator ${operator.name}`
  if (caller?.kind === 'session') return `${caller.accountId} ${caller.userId}`
  return caller?.keyId
}

function hashed(id: string): string {
  return hash('sha256', id, 'base64url')
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
