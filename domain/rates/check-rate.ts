import { GroupCommit } from '../../platform/group-commit.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, type Script } from '../../platform/redis/open-redis.ts'
import { LocalRates } from './local-rates.ts'
import { argumentsOf, groupAlike, resultsOf } from './rate-batch.ts'
import { correctionScript, rateScript, windowsName } from './rate-script.ts'
import { maxCount, type RateRequest, type RateResult } from './window.ts'

/** The rate limiter of this process: what waits at a moment is checked by one call of a Redis script. */
export interface Rates {
  readonly redis: RedisClient
  readonly prefix: string
  /** By hash slot: one for all accounts, but on a cluster one per account. */
  readonly batches: Map<string, GroupCommit<RateRequest, RateResult>>
  readonly isCluster: boolean
  readonly script: Script
  /** This process's own counters, used while Redis is down. */
  readonly local: LocalRates
}

/** Opens it. A test that sets the clock gives another `script`. */
export function openRates(options: {
  redis: RedisClient
  prefix: string
  isCluster: boolean
  script?: Script
}): Rates {
  return { script: rateScript, ...options, batches: new Map(), local: new LocalRates() }
}

/**
 * Checks a request against its limits, and counts it where it is within all of them. Everything that waits at
 * this moment is one call of the script. Never throws: while Redis is down this process's own counters
 * decide, and the revision is null.
 */
export function checkRate(rates: Rates, request: RateRequest): Promise<RateResult> {
  const slot = rates.isCluster ? request.accountId : '' // a script may touch one hash slot only
  const known = rates.batches.get(slot)
  if (known) return known.add(request)
  const batch = new GroupCommit<RateRequest, RateResult>(requests => checkInRedis(rates, requests))
  rates.batches.set(slot, batch)
  const result = batch.add(request)
  if (rates.isCluster) batch.idle().then(() => rates.batches.delete(slot))
  return result
}

/**
 * Corrects the token windows once it is known how many tokens a request used, where it was counted: in Redis,
 * or in this process while Redis was down. Never throws: a correction that fails is lost.
 */
export function correctTokens(
  rates: Rates,
  { request, result, tokens }: { request: RateRequest; result: RateResult; tokens: number },
): Promise<void> | undefined {
  const difference = Math.min(tokens, maxCount) - Math.min(request.tokens, maxCount)
  const { accountId, keyId, limits } = request
  if (difference === 0 || (limits.tph === null && limits.tpd === null)) return undefined
  if (result.revision === null) {
    rates.local.correct(request, result.countedAt, difference)
    return undefined
  }
  const name = windowsName(rates.prefix, accountId, keyId)
  return runScript(rates.redis, correctionScript, [name], [difference, result.countedAt]).then(
    () => {},
    () => {},
  )
}

async function checkInRedis(rates: Rates, requests: RateRequest[]): Promise<RateResult[]> {
  try {
    const groups = groupAlike(requests)
    const { names, args } = argumentsOf(groups, rates.prefix)
    return resultsOf(groups, await runScript(rates.redis, rates.script, names, args))
  } catch {
    return requests.map(request => rates.local.check(request, steadyNow()))
  }
}

/** Milliseconds since 1970, by a clock that never jumps: this process's own windows are counted by it. */
function steadyNow(): number {
  return Math.floor(performance.timeOrigin + performance.now())
}
