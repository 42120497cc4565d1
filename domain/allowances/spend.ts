import { runScript, script } from '../../platform/redis/open-redis.ts'
import type { Allowance, Resource } from '../../schema/allowances.ts'
import { type Allowances, allowanceOf, type Standing, windowsOf } from './allowances.ts'
import { allowanceExceeded } from './exceeded.ts'

/**
 * Counts an amount of a resource in its window, over all processes; in this process alone while Redis is unavailable.
 * A refused amount is not counted. Throws `allowance_exceeded`.
 */
export async function spend(
  allowances: Allowances,
  standing: Standing,
  { resource, amount = 1 }: { resource: Resource; amount?: number },
): Promise<void> {
  const limit = allowanceOf(allowances, standing, resource)
  const windowMs = windowSecondsOf(allowances, resource) * 1000
  const name = `${allowances.prefix}{${standing.accountId}}:allowance:${resource}`
  const [isCounted, leftMs] = await runScript(
    allowances.redis,
    countWithin,
    [name],
    [amount, limit, windowMs],
  ).then(
    answer => (Array.isArray(answer) ? [answer[0] === 1, Number(answer[1])] : [true, 0]),
    () => countHere(allowances, standing, { resource, amount, limit }),
  )
  if (!isCounted) throw exceeded(resource, { limit, standing, leftMs: Number(leftMs) })
}

/** Counts an amount of a resource in its window, in this process alone. Throws `allowance_exceeded`. */
export function spendHere(allowances: Allowances, standing: Standing, resource: Resource): void {
  const limit = allowanceOf(allowances, standing, resource)
  const [isCounted, leftMs] = countHere(allowances, standing, { resource, amount: 1, limit })
  if (!isCounted) throw exceeded(resource, { limit, standing, leftMs })
}

/** Counts one in its window, in this process alone. Returns false if the allowance is used up. */
export function mayUseHere(allowances: Allowances, standing: Standing, resource: Resource): boolean {
  const limit = allowanceOf(allowances, standing, resource)
  return countHere(allowances, standing, { resource, amount: 1, limit })[0]
}

function countHere(
  allowances: Allowances,
  { accountId }: Standing,
  { resource, amount, limit }: { resource: Resource; amount: number; limit: number },
): [isCounted: boolean, leftMs: number] {
  const windows = windowsOf(allowances, windowSecondsOf(allowances, resource))
  const name = `${resource} ${accountId}`
  const running = windows.peek(name)
  if ((running?.count ?? 0) + amount > limit) return [false, running?.leftMs ?? 1000]
  return [true, windows.count(name, amount).leftMs]
}

function windowSecondsOf({ table }: Allowances, resource: Resource): number {
  const { per }: Allowance = table[resource]
  if (typeof per !== 'number') throw new Error(`${resource} has no window`)
  return per
}

function exceeded(
  resource: Resource,
  { limit, standing, leftMs }: { limit: number; standing: Standing; leftMs: number },
): Error {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return allowanceExceeded(resource, { limit, standing, retryAfterSeconds })
}

/** KEYS[1]: the window. ARGV: amount, limit, length in ms. Returns whether it was counted, and ms until the window ends. */
const countWithin = script(`
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
if used + ARGV[1] > tonumber(ARGV[2]) then return {0, math.max(redis.call('PTTL', KEYS[1]), 1)} end
if redis.call('INCRBY', KEYS[1], ARGV[1]) == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return {1, redis.call('PTTL', KEYS[1])}`)
