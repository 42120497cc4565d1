import { GroupCommit } from '../../platform/group-commit.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, type Script } from '../../platform/redis/run-script.ts'
import { LocalRates } from './local-rates.ts'
import { answerLength, correctionScript, rateScript, revisionName, windowsName } from './rate-script.ts'
import { asksOf, leftOf, mostCounted, type RateRequest, type RateResult, windowNames } from './window.ts'

/** Asks the rates: batches what waits into one script call. */
export interface Rates {
  readonly redis: RedisClient
  readonly prefix: string
  readonly batches: Map<string, GroupCommit<RateRequest, RateResult>>
  readonly isCluster: boolean
  readonly script: Script
  /** This process's own counters, while Redis is away. */
  readonly local: LocalRates
}

/** Opens them; `script` is another than Redis' own where a test sets the clock. */
export function openRates(options: {
  redis: RedisClient
  prefix: string
  isCluster: boolean
  script?: Script
}): Rates {
  return { script: rateScript, ...options, batches: new Map(), local: new LocalRates() }
}

/**
 * Checks and takes the windows of one request, together with whatever else waits at this moment: one script call.
 * Does not throw: while Redis is away this process's own counters answer, and the revision is null.
 */
export function checkRate(rates: Rates, question: RateRequest): Promise<RateResult> {
  // A script may touch one slot of a cluster: its accounts are batched apart.
  const slot = rates.isCluster ? question.accountId : ''
  const known = rates.batches.get(slot)
  if (known) return known.add(question)
  const batch = new GroupCommit<RateRequest, RateResult>(questions => askRedis(rates, questions))
  rates.batches.set(slot, batch)
  const answer = batch.add(question)
  if (rates.isCluster) batch.idle().then(() => rates.batches.delete(slot))
  return answer
}

/**
 * Tells the token windows how many tokens a request really took, where it was counted: in Redis, or in this process
 * while Redis was away. A hint that may be lost; resolves always.
 */
export async function correctTokens(
  rates: Rates,
  { question, answer, tokens }: { question: RateRequest; answer: RateResult; tokens: number },
): Promise<void> {
  const difference = Math.min(tokens, mostCounted) - Math.min(question.tokens, mostCounted)
  const { accountId, keyId, limits } = question
  if (difference === 0 || (limits.tph === null && limits.tpd === null)) return
  if (answer.revision === null) return rates.local.correct(question, answer.takenAt, difference)
  const name = windowsName(rates.prefix, accountId, keyId)
  await runScript(rates.redis, correctionScript, [name], [difference, answer.takenAt]).catch(() => {})
}

async function askRedis(rates: Rates, questions: RateRequest[]): Promise<RateResult[]> {
  const names: string[] = []
  const args: number[] = []
  for (const question of questions) {
    const { accountId, keyId } = question
    names.push(revisionName(rates.prefix, accountId, keyId), windowsName(rates.prefix, accountId, keyId))
    const [burst, rpm, tph, tpd] = asksOf(question)
    args.push(burst!.limit ?? -1, burst!.lengthMs, burst!.amount)
    for (const ask of [rpm!, tph!, tpd!]) args.push(ask.limit ?? -1, ask.amount)
  }
  try {
    const answer = await runScript(rates.redis, rates.script, names, args)
    if (!Array.isArray(answer)) throw new Error('the rate script answered something else')
    const numbers = answer.map(Number)
    const takenAt = numbers.at(-1)!
    return questions.map((_, index) => readAnswer(numbers, index * answerLength, takenAt))
  } catch {
    return questions.map(question => rates.local.check(question, steadyNow()))
  }
}

/** Milliseconds since 1970, by a clock that is never set: windows of this process go by it. */
function steadyNow(): number {
  return Math.floor(performance.timeOrigin + performance.now())
}

function readAnswer(numbers: number[], at: number, takenAt: number): RateResult {
  const [revision, refused, waitMs, ...left] = numbers.slice(at, at + answerLength)
  return {
    revision: revision === -1 ? undefined : BigInt(revision!),
    refusedBy: refused === 0 ? undefined : windowNames[refused! - 1],
    waitMs: waitMs!,
    takenAt,
    left: leftOf(left.map(count => (count === -1 ? null : count))),
  }
}
