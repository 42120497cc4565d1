import { GroupCommit } from '../../platform/group-commit.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, type Script } from '../../platform/redis/open-redis.ts'
import { LocalRates } from './local-rates.ts'
import { answerLength, correctionScript, rateScript, revisionName, windowsName } from './rate-script.ts'
import { maxCount, type RateRequest, type RateResult, windowNames } from './window.ts'

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
  const names: string[] = []
  const args: number[] = []
  for (const request of requests) {
    const { accountId, keyId, requests: count, limits } = request
    const tokens = Math.min(request.tokens, maxCount)
    names.push(revisionName(rates.prefix, accountId, keyId), windowsName(rates.prefix, accountId, keyId))
    args.push(limits.burst, limits.burstWindowMs, count, limits.rpm ?? -1, count)
    args.push(limits.tph ?? -1, tokens, limits.tpd ?? -1, tokens)
  }
  try {
    const answer = await runScript(rates.redis, rates.script, names, args)
    if (!Array.isArray(answer)) throw new Error('the rate script answered no list')
    const countedAt = Number(answer.at(-1))
    return requests.map((_, index) => parseResult(answer, index * answerLength, countedAt))
  } catch {
    return requests.map(request => rates.local.check(request, steadyNow()))
  }
}

/** Milliseconds since 1970, by a clock that never jumps: this process's own windows are counted by it. */
function steadyNow(): number {
  return Math.floor(performance.timeOrigin + performance.now())
}

function parseResult(answer: unknown[], at: number, countedAt: number): RateResult {
  const revision = Number(answer[at])
  const refused = Number(answer[at + 1])
  return {
    revision: revision === -1 ? undefined : BigInt(revision),
    refusedBy: refused === 0 ? undefined : windowNames[refused - 1],
    waitMs: Number(answer[at + 2]),
    countedAt,
    left: {
      burst: leftOf(answer[at + 3]),
      rpm: leftOf(answer[at + 4]),
      tph: leftOf(answer[at + 5]),
      tpd: leftOf(answer[at + 6]),
    },
  }
}

/** What is left of a window; null where it has no limit. */
function leftOf(count: unknown): number | null {
  return count === -1 ? null : Number(count)
}
