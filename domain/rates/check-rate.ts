import { setImmediate as nextTurn } from 'node:timers/promises'
import { GroupCommit } from '../../platform/group-commit.ts'
import type { Log } from '../../platform/log.ts'
import type { Distribution } from '../../platform/metrics/distribution.ts'
import { type Metrics, openMetrics } from '../../platform/metrics/open-metrics.ts'
import { type RedisClient, runScript, type Script } from '../../platform/redis/open-redis.ts'
import { LocalRates } from './local-rates.ts'
import { type Owed, OwedCounts } from './owed-counts.ts'
import { type Alike, argumentsOf, groupAlike, resultsOf } from './rate-batch.ts'
import { correctionScript, rateScript, windowsName } from './rate-script.ts'
import { maxCount, type RateRequest, type RateResult } from './window.ts'

/**
 * The rate limiter of this process. One call of a Redis script checks all requests that are waiting at the same time.
 */
export interface Rates {
  readonly redis: RedisClient
  /**
   * Runs scripts. A late response is awaited and applied when it arrives. If Redis responds that it does not have the
   * script yet, the script is sent.
   */
  readonly scripts: RedisClient
  readonly prefix: string
  readonly log: Log
  /** The queued requests by hash slot: one batch for all accounts, or one per account on a cluster. */
  readonly batches: Map<string, GroupCommit<RateRequest, RateResult>>
  readonly isCluster: boolean
  readonly script: Script
  /** Maximum time for Redis to respond to a rate check, in milliseconds. */
  readonly answerWithinMs: number
  /** This process's own counters, which decide while Redis does not respond. */
  readonly local: LocalRates
  /** The counts that Redis does not have yet. */
  readonly owed: OwedCounts
  /** Numbers of script calls whose response has not arrived, by the same hash slots. */
  readonly unanswered: Map<string, number>
  /** Requests that this process decided by itself since it started. */
  decidedLocally: number
  /** Times until Redis answered the rate script, in seconds. */
  readonly scriptSeconds: Distribution
  /** When the last warning was logged, by the monotonic clock. */
  warnedAt: number
}

/** Minimum interval between two warnings about local decisions, in milliseconds. */
const warningIntervalMs = 10_000

/** Opens the rate limiter. Tests pass another `script`, which sets the clock, and more patience. */
export function openRates({
  metrics = openMetrics('rates'),
  ...options
}: {
  redis: RedisClient
  scripts: RedisClient
  prefix: string
  log: Log
  isCluster: boolean
  script?: Script
  answerWithinMs?: number
  metrics?: Metrics
}): Rates {
  return {
    script: rateScript,
    answerWithinMs: 100,
    ...options,
    batches: new Map(),
    local: new LocalRates(),
    owed: new OwedCounts(),
    unanswered: new Map(),
    decidedLocally: 0,
    scriptSeconds: metrics
      .histogram({
        name: 'rubicon_rate_script_seconds',
        help: 'Time until Redis answered a call of the rate script, which checks all waiting requests.',
        buckets: { first: 0.00025, factor: 2, count: 12 },
      })
      .of(),
    warnedAt: Number.NEGATIVE_INFINITY,
  }
}

/**
 * Checks a request against its limits, and counts it if it is within all of them. Never throws: if Redis does not
 * respond within `answerWithinMs`, this process's own counters decide, and the revision is null.
 */
export function checkRate(rates: Rates, request: RateRequest): Promise<RateResult> {
  const slot = slotOf(rates, request)
  const known = rates.batches.get(slot)
  if (known) return known.add(request)
  const batch = new GroupCommit<RateRequest, RateResult>(requests => checkBatch(rates, requests))
  rates.batches.set(slot, batch)
  const result = batch.add(request)
  if (rates.isCluster) void batch.idle().then(() => rates.batches.delete(slot))
  return result
}

/**
 * Corrects the token windows when the usage of a counted request is known: in Redis, and in this process if it counted
 * the request. Never throws: a failed correction is lost.
 */
export async function correctTokens(
  rates: Rates,
  { request, result, tokens }: { request: RateRequest; result: RateResult; tokens: number },
): Promise<void> {
  const difference = Math.min(tokens, maxCount) - Math.min(request.tokens, maxCount)
  const { accountId, keyId, limits } = request
  if (difference === 0 || (limits.tph === null && limits.tpd === null)) return
  let { countedAt } = result
  if (result.revision === null) {
    rates.local.correct(request, countedAt, difference)
    const late = await result.late
    if (!late) return rates.owed.subtract({ accountId, keyId, requests: 0, tokens: -difference })
    countedAt = late.countedAt
  }
  const name = windowsName(rates.prefix, accountId, keyId)
  await runScript(rates.scripts, correctionScript, [name], [difference, countedAt]).catch(() => {})
}

/** Returns the hash slot of a request, as far as a script may touch it: an account's on a cluster. */
function slotOf({ isCluster }: Rates, request: RateRequest | undefined): string {
  return isCluster && request ? request.accountId : ''
}

async function checkBatch(rates: Rates, requests: RateRequest[]): Promise<RateResult[]> {
  const groups = groupAlike(requests)
  const slot = slotOf(rates, requests[0])
  // A call without a response may still count the owed requests, so they are counted again only after its response.
  const owed = rates.unanswered.has(slot) ? [] : rates.owed.take(rates.isCluster ? slot : undefined)
  const answer = askRedis(rates, groups, { owed, slot })
  const inTime = await answeredInTime(rates, answer)
  if (inTime) return inTime
  return requests.map((request, at) =>
    checkHere(
      rates,
      request,
      answer.then(late => late?.[at]),
    ),
  )
}

/** Runs the script. Resolves to undefined if Redis does not respond at all. */
async function askRedis(
  rates: Rates,
  groups: readonly Alike[],
  { owed, slot }: { owed: readonly Owed[]; slot: string },
): Promise<RateResult[] | undefined> {
  const startedAt = steadyNow()
  const forced = owed.map(each => ({
    accountId: each.request.accountId,
    keyId: each.request.keyId,
    amounts: rates.local.stillCounted(each, startedAt),
  }))
  const { names, args } = argumentsOf(groups, rates.prefix, forced)
  const { unanswered } = rates
  unanswered.set(slot, (unanswered.get(slot) ?? 0) + 1)
  const sentAt = performance.now()
  try {
    const answer = await runScript(rates.scripts, rates.script, names, args)
    const results = resultsOf(groups, answer, forced.length)
    const now = steadyNow()
    rates.scriptSeconds.observe((performance.now() - sentAt) / 1000)
    for (const { request, turns } of groups) rates.local.follow(request, results[turns.at(-1)!]!, now)
    return results
  } catch {
    for (const each of owed) rates.owed.add(each)
    return undefined
  } finally {
    const left = (unanswered.get(slot) ?? 1) - 1
    if (left > 0) unanswered.set(slot, left)
    else unanswered.delete(slot)
  }
}

/**
 * Waits for a response until the time is up. A response that has arrived but that a busy event loop has not yet read
 * counts as in time.
 */
function answeredInTime(
  { answerWithinMs }: Rates,
  answer: Promise<RateResult[] | undefined>,
): Promise<RateResult[] | undefined> {
  return new Promise(resolve => {
    const timer = setTimeout(() => void nextTurn().then(() => resolve(undefined)), answerWithinMs)
    void answer.then(results => {
      clearTimeout(timer)
      resolve(results)
    })
  })
}

/**
 * Decides by this process's own counters. Admitted requests are owed until Redis has counted them, perhaps in a late
 * response.
 */
function checkHere(rates: Rates, request: RateRequest, answer: Promise<RateResult | undefined>): RateResult {
  const result = rates.local.check(request, steadyNow())
  rates.decidedLocally += 1
  warnOfLocalDecisions(rates)
  if (result.refusedBy) return result
  rates.owed.add({ request })
  const late = answer.then(counted => {
    if (!counted || counted.refusedBy) return undefined
    rates.owed.subtract(request)
    return counted
  })
  return { ...result, late }
}

function warnOfLocalDecisions(rates: Rates): void {
  const now = performance.now()
  if (now - rates.warnedAt < warningIntervalMs) return
  rates.warnedAt = now
  rates.log.warn(
    { decidedLocally: rates.decidedLocally },
    'Redis does not respond: this process counts rates by itself',
  )
}

/** Returns the time in milliseconds since 1970, by a clock that never jumps. This process counts its windows by it. */
function steadyNow(): number {
  return Math.floor(performance.timeOrigin + performance.now())
}
