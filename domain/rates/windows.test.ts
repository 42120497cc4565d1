import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRedis } from '../../platform/redis/open-redis.ts'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { checkRate, correctTokens, openRates, type Rates } from './check-rate.ts'
import { LocalRates } from './local-rates.ts'
import { composeRateScript } from './rate-script.ts'
import {
  bucketCount,
  bucketsPerWindow,
  byWindow,
  type RateLimits,
  type RateRequest,
  type RateResult,
  windowNames,
} from './window.ts'

/** What counts, by a clock that the test sets. */
interface Counter {
  check(request: RateRequest, now: number): Promise<RateResult>
  correct(request: RateRequest, result: RateResult, tokens: number): Promise<void>
}

let system: TestSystem
let rates: Rates
let turn = 0

beforeAll(async () => {
  system = await aSystem()
  const redis = openRedis({
    url: system.config.redisUrl,
    cluster: false,
    name: 'patient',
    commandTimeoutMs: 10_000,
  })
  await new Promise(resolve => redis.once('ready', resolve))
  const prefix = system.config.redisPrefix
  const script = composeRateScript(`redis.call('MGET', '${prefix}seconds', '${prefix}micros')`)
  rates = openRates({
    redis,
    scripts: redis,
    prefix,
    log: system.context.log,
    isCluster: false,
    script,
    answerWithinMs: 10_000,
  })
})
afterAll(async () => {
  rates.redis.disconnect()
  await system.close()
})

const counters: [who: string, open: () => Counter][] = [
  ['the process', () => localCounter()],
  ['Redis', () => redisCounter()],
]

const someTokens = fc.oneof(fc.nat(60), fc.constantFrom(3_000_000_000, 4_294_967_296, 2 ** 52))
const someLimits = fc.record({
  burst: fc.integer({ min: 1, max: 5 }),
  burstWindowMs: fc.constantFrom(1_000, 10_000),
  rpm: fc.option(fc.integer({ min: 1, max: 6 })),
  tph: fc.option(fc.oneof(fc.nat(90), fc.constantFrom(5_000_000_000))),
  tpd: fc.option(fc.oneof(fc.nat(150), fc.constantFrom(9_000_000_000))),
  account: fc.option(fc.integer({ min: 1, max: 7 })),
})
const someSteps = fc.array(
  fc.record({
    afterMs: fc.oneof(
      fc.nat(1_500),
      fc.nat(70_000),
      fc.nat(4_000_000),
      fc.nat(90_000_000),
      fc.integer({ min: -400, max: 0 }),
    ),
    requests: fc.constantFrom<(0 | 1)[]>(0, 1, 1),
    tokens: someTokens,
    took: fc.option(someTokens),
    waits: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)

describe.each(counters)('%s counts', (_, open) => {
  test('exactly as a list of everything that was counted, and states exactly when a request fits', async () => {
    const counter = open()
    await fc.assert(
      fc.asyncProperty(someLimits, someSteps, async (limits, steps) => {
        const model = new Model(limits)
        const key = { accountId: `account-${turn}`, keyId: `key-${turn++}` }
        let now = 1_800_000_000_000
        let latest = now
        for (const { afterMs, requests, tokens, took, waits } of steps) {
          // A window restarts if the clock is set back by its full length, so the clock is set back by less here.
          now = Math.max(now + afterMs, latest - 0.9 * limits.burstWindowMs)
          latest = Math.max(latest, now)
          const request: RateRequest = { ...key, limits, requests, tokens }
          const result = await counter.check(request, now)
          expect(decisionOf(result)).toEqual(model.check(request, now))
          if (!result.refusedBy) {
            if (took === null) continue
            await counter.correct(request, result, took)
            model.correct(request, now, took)
          } else if (waits && model.canEverFit(request)) {
            const early = await counter.check(request, now + result.waitMs - 1)
            expect(early.refusedBy, `a millisecond before ${result.waitMs}`).toBeDefined()
            now += result.waitMs
            latest = Math.max(latest, now)
            const inTime = await counter.check(request, now)
            expect(decisionOf(inTime)).toEqual(model.check(request, now))
            expect(inTime.refusedBy).toBeUndefined()
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('anew where the clock is set back by more than a window, so that nobody waits for the time to come again', async () => {
    const counter = open()
    const limits = { burst: 1, burstWindowMs: 10_000, rpm: null, tph: null, tpd: null, account: null }
    const request: RateRequest = { accountId: 'a', keyId: `key-${turn++}`, limits, requests: 1, tokens: 0 }
    const now = 1_800_000_000_000
    expect((await counter.check(request, now)).refusedBy).toBeUndefined()
    expect((await counter.check(request, now - 9_000)).refusedBy).toBe('burst')
    expect((await counter.check(request, now - 20_000)).refusedBy).toBeUndefined()
    expect((await counter.check(request, now - 20_000)).refusedBy).toBe('burst')
  })

  test('three thousand million tokens without overflow: with a limit of a hundred, requests pass again after a day', async () => {
    const counter = open()
    const limits = { burst: 100, burstWindowMs: 10_000, rpm: null, tph: null, tpd: 100, account: null }
    const request: RateRequest = { accountId: 'a', keyId: `key-${turn++}`, limits, requests: 1, tokens: 10 }
    const now = 1_800_000_000_000
    await counter.correct(request, await counter.check(request, now), 3_000_000_000)
    const refused = await counter.check(request, now + 1_000)
    expect(refused).toMatchObject({ refusedBy: 'tpd', left: { tpd: 0 } })
    expect(refused.waitMs).toBeGreaterThan(86_400_000 - 1_000)
    expect((await counter.check(request, now + 1_000 + refused.waitMs)).refusedBy).toBeUndefined()
  })
})

test('Redis counts what comes at once exactly as one after the other', async () => {
  const someRequests = fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b'),
      requests: fc.constantFrom<(0 | 1)[]>(0, 1, 1, 1),
      tokens: fc.constantFrom(0, 0, 7, 7, 7, 30),
      hasOtherLimits: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  const someTurns = fc.array(fc.record({ afterMs: fc.nat(8_000), requests: someRequests }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(someLimits, someLimits, someTurns, async (limits, otherLimits, turns) => {
      const local = new LocalRates()
      const run = turn++
      let now = 1_800_000_000_000
      for (const { afterMs, requests } of turns) {
        now += afterMs
        await setTime(now)
        const asked = requests.map(({ key, hasOtherLimits, ...counts }) => ({
          accountId: `account-${run}`,
          keyId: `${key}-${run}`,
          limits: hasOtherLimits
            ? { ...otherLimits, burstWindowMs: limits.burstWindowMs, account: null }
            : { ...limits, account: null },
          ...counts,
        }))
        const results = await Promise.all(asked.map(request => checkRate(rates, request)))
        expect(results.map(result => ({ ...result, revision: null }))).toEqual(
          asked.map(request => local.check(request, now)),
        )
        expect(results.every(({ revision }) => revision === undefined)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

/** The simplest windows that there can be: a list of everything that was ever counted, and when. */
class Model {
  readonly #limits: RateLimits
  readonly #taken: { window: number; bucket: number; amount: number }[] = []
  readonly #newest = [0, 0, 0, 0, 0]

  constructor(limits: RateLimits) {
    this.#limits = limits
  }

  check({ requests, tokens }: RateRequest, now: number) {
    const windows = this.#windows({ requests, tokens }).map(each => {
      const bucket = bucketAt(now, each.lengthMs)
      const isLimited = each.limit !== null
      return { ...each, newest: Math.max(this.#newest[each.window]!, bucket), isLimited }
    })
    const waits = windows.map(each => (each.isLimited ? this.#waitMs(each, now) : 0))
    const waitMs = Math.max(...waits)
    if (waitMs === 0) {
      for (const { window, newest, amount, isLimited } of windows) {
        if (!isLimited) continue
        this.#newest[window] = newest
        this.#taken.push({ window, bucket: newest, amount })
      }
    }
    const left = windows.map(({ window, newest, limit }) =>
      limit === null ? null : Math.max(0, limit - this.#sum(window, newest)),
    )
    return { refusedBy: windowNames[waitMs === 0 ? -1 : waits.indexOf(waitMs)], waitMs, left: byWindow(left) }
  }

  correct({ tokens }: RateRequest, now: number, took: number): void {
    for (const { window, lengthMs, limit } of this.#windows({ requests: 0, tokens: 0 })) {
      if (window < 2 || window > 3 || limit === null) continue
      const bucket = bucketAt(now, lengthMs)
      const inBucket = this.#taken.filter(each => each.window === window && each.bucket === bucket)
      const max = Math.min(took, 1e12) - Math.min(tokens, 1e12)
      const sum = inBucket.reduce((total, { amount }) => total + amount, 0)
      if (bucket <= this.#newest[window]!)
        this.#taken.push({ window, bucket, amount: Math.min(Math.max(0, sum + max), 1e12) - sum })
    }
  }

  canEverFit({ requests, tokens }: RateRequest): boolean {
    return this.#windows({ requests, tokens }).every(({ limit, amount }) => limit === null || amount <= limit)
  }

  #windows({ requests, tokens }: { requests: number; tokens: number }) {
    const { burst, burstWindowMs, rpm, tph, tpd, account } = this.#limits
    const amount = Math.min(tokens, 1e12)
    return [
      { window: 0, limit: burst, lengthMs: burstWindowMs, amount: requests },
      { window: 1, limit: rpm, lengthMs: 60_000, amount: requests },
      { window: 2, limit: tph, lengthMs: 3_600_000, amount },
      { window: 3, limit: tpd, lengthMs: 86_400_000, amount },
      { window: 4, limit: account, lengthMs: 10_000, amount: requests },
    ]
  }

  #waitMs(
    each: { window: number; newest: number; limit: number | null; lengthMs: number; amount: number },
    now: number,
  ) {
    const { window, newest, limit, lengthMs, amount } = each
    if (amount === 0) return 0
    for (let later = 0; later <= bucketCount; later++) {
      if (this.#sum(window, newest + later) + amount > limit!) continue
      return later === 0 ? 0 : Math.ceil(((newest + later) * lengthMs) / bucketsPerWindow - now)
    }
    return lengthMs
  }

  #sum(window: number, newest: number): number {
    return this.#taken
      .filter(each => each.window === window && each.bucket > newest - bucketCount)
      .reduce((sum, { amount }) => sum + amount, 0)
  }
}

function bucketAt(now: number, lengthMs: number): number {
  return Math.floor((now * bucketsPerWindow) / lengthMs)
}

function decisionOf({ refusedBy, waitMs, left }: RateResult) {
  return { refusedBy, waitMs, left }
}

function localCounter(): Counter {
  const local = new LocalRates()
  return {
    check: async (request, now) => local.check(request, now),
    correct: async (request, { countedAt }, tokens) =>
      local.correct(request, countedAt, Math.min(tokens, 1e12) - Math.min(request.tokens, 1e12)),
  }
}

async function setTime(now: number): Promise<void> {
  const { redis, prefix } = rates
  await redis.mset(`${prefix}seconds`, Math.floor(now / 1000), `${prefix}micros`, (now % 1000) * 1000)
}

function redisCounter(): Counter {
  return {
    async check(request, now) {
      await setTime(now)
      const result = await checkRate(rates, request)
      expect(result.revision).not.toBeNull()
      return result
    },
    async correct(request, result, tokens) {
      await correctTokens(rates, { request, result, tokens })
    },
  }
}
