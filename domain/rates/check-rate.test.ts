import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRedis, type RedisClient } from '../../platform/redis/open-redis.ts'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { checkRate, correctTokens, openRates, type Rates } from './check-rate.ts'
import { LocalRates } from './local-rates.ts'
import { OwedCounts } from './owed-counts.ts'
import { rateHeaders } from './rate-headers.ts'
import { windowsName } from './rate-script.ts'
import { RetryTimes } from './retry-times.ts'
import type { RateLimits } from './window.ts'

let system: TestSystem
let rates: Rates
let patient: RedisClient
let turn = 0

const aRates = (options: { answerWithinMs?: number } = {}) =>
  openRates({
    redis: patient,
    scripts: patient,
    prefix: system.config.redisPrefix,
    log: system.context.log,
    isCluster: false,
    ...options,
  })

beforeAll(async () => {
  system = await aSystem()
  const { redisUrl: url } = system.config
  patient = openRedis({ url, cluster: false, name: 'patient', commandTimeoutMs: 10_000 })
  await new Promise(resolve => patient.once('ready', resolve))
  rates = aRates({ answerWithinMs: 10_000 })
})
afterAll(async () => {
  patient.disconnect()
  await system.close()
})

const limits: RateLimits = {
  burst: 20,
  burstWindowMs: 10_000,
  rpm: null,
  tph: null,
  tpd: null,
  account: null,
}
/** A request of another key each time, with these limits besides. */
const aRequest = (more: Partial<RateLimits> = {}, tokens = 0) =>
  ({ ...aKey(), limits: { ...limits, ...more }, requests: 1, tokens }) as const
const aKey = () => ({ accountId: `account-${turn}`, keyId: `key-${turn++}` })

test('twenty of a hundred requests at once pass; the others learn how long to wait', async () => {
  const key = aKey()
  const results = await Promise.all(
    Array.from({ length: 100 }, () => checkRate(rates, { ...key, limits, requests: 1, tokens: 0 })),
  )
  expect(results.filter(result => !result.refusedBy)).toHaveLength(20)
  const refused = results.at(-1)!
  expect(refused).toMatchObject({ refusedBy: 'burst', left: { burst: 0, rpm: null } })
  expect(refused.waitMs).toBeGreaterThan(9_000)
  expect(refused.waitMs).toBeLessThanOrEqual(10_500)
})

test('token windows count what a request really used', async () => {
  const key = aKey()
  const request = { ...key, limits: { ...limits, tph: 100, tpd: 1_000 }, requests: 1 as const, tokens: 40 }
  expect((await checkRate(rates, request)).left).toMatchObject({ tph: 60, tpd: 960 })
  const result = await checkRate(rates, request)
  expect(result.left).toMatchObject({ tph: 20, tpd: 920 })
  await correctTokens(rates, { request, result, tokens: 60 })
  expect((await checkRate(rates, request)).refusedBy).toBe('tph')
  await correctTokens(rates, { request, result, tokens: 0 })
  expect((await checkRate(rates, request)).left).toMatchObject({ tph: 0, tpd: 900 })
})

test('what a request gives back leaves the window together with what it counted', async () => {
  const request = aRequest({ tph: 1_000 }, 900)
  const nothing = { ...request, tokens: 0 }
  const { countedAt, ...result } = await checkRate(rates, request)
  await age(request, 1)
  const earlier = { ...result, countedAt: countedAt - hourBucketMs }
  await correctTokens(rates, { request, result: earlier, tokens: 100 })
  expect((await checkRate(rates, nothing)).left.tph).toBe(900)
  await age(request, 20)
  expect((await checkRate(rates, nothing)).left.tph).toBe(1_000)
})

test('a correction never gives back more than its bucket holds, and none after that has left', async () => {
  const request = aRequest({ tph: 1_000 }, 300)
  const result = await checkRate(rates, request)
  const other = { ...result, countedAt: result.countedAt - hourBucketMs }
  const gone = { ...result, countedAt: result.countedAt - 21 * hourBucketMs }
  const ahead = { ...result, countedAt: result.countedAt + hourBucketMs }
  for (const taken of [other, gone, ahead]) await correctTokens(rates, { request, result: taken, tokens: 0 })
  expect((await checkRate(rates, { ...request, tokens: 0 })).left.tph).toBe(700)
  await correctTokens(rates, { request: { ...request, tokens: 900 }, result, tokens: 0 })
  expect((await checkRate(rates, { ...request, tokens: 0 })).left.tph).toBe(1_000)
})

test('a correction uses the connection that waits for late answers', async () => {
  const impatient = openRedis({ url: 'none', cluster: false, name: 'impatient' })
  const impatientRates = { ...aRates({ answerWithinMs: 10_000 }), redis: impatient }
  const request = aRequest({ tph: 100 }, 90)
  const result = await checkRate(impatientRates, request)
  await correctTokens(impatientRates, { request, result, tokens: 10 })
  expect((await checkRate(impatientRates, { ...request, tokens: 0 })).left.tph).toBe(90)
})

test('what this process counted by itself is corrected here, not in Redis', async () => {
  const request = aRequest({ tph: 1_000 }, 300)
  await checkRate(rates, request)
  const result = rates.local.check(request, Date.now())
  await correctTokens(rates, { request, result, tokens: 100 })
  expect(rates.local.check({ ...request, tokens: 0 }, Date.now()).left.tph).toBe(600)
  expect((await checkRate(rates, { ...request, tokens: 0 })).left.tph).toBe(700)
})

test('a process by itself never exceeds the limit, whenever requests come and are corrected', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 1_200_000 }),
    tokens: fc.integer({ min: 0, max: 60 }),
    took: fc.integer({ min: 0, max: 60 }),
    correctedAfter: fc.nat(4),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const local = new LocalRates()
      const request = aRequest({ burst: 1_000_000, tph: 100 })
      const passed: { at: number; took: number }[] = []
      const waiting: { turn: number; correct(): void }[] = []
      let now = 1_800_000_000_000
      for (const [place, { afterMs, tokens, took, correctedAfter }] of steps.entries()) {
        now += afterMs
        const current = { ...request, tokens }
        const { refusedBy, countedAt, left } = local.check(current, now)
        expect(left.tph).toBeLessThanOrEqual(100)
        if (!refusedBy) {
          // Less than was taken at first: a correction that takes more may pass the limit.
          const less = Math.min(took, tokens)
          passed.push({ at: now, took: less })
          const correct = () => local.correct(current, countedAt, less - tokens)
          waiting.push({ turn: place + correctedAfter, correct })
        }
        for (const due of waiting.filter(each => each.turn === place)) due.correct()
        const hour = passed.filter(({ at }) => now - at < 3_600_000)
        expect(hour.reduce((sum, counted) => sum + counted.took, 0)).toBeLessThanOrEqual(100)
      }
    }),
  )
})

test('the window of the account bounds all of its keys together, and no other account', async () => {
  const shared = { ...limits, account: 5 }
  const [one, other] = [aKey(), aKey()]
  const check = (accountId: string, keyId: string) =>
    checkRate(rates, { accountId, keyId, limits: shared, requests: 1, tokens: 0 })
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, at) => check(one.accountId, `${one.keyId}-${at % 3}`)),
  )
  expect(results.filter(({ refusedBy }) => !refusedBy)).toHaveLength(5)
  expect(results.at(-1)).toMatchObject({ refusedBy: 'account', left: { account: 0 } })
  expect((await check(other.accountId, other.keyId)).refusedBy).toBeUndefined()
  expect((await checkRate(rates, { ...one, limits, requests: 1, tokens: 0 })).refusedBy).toBeUndefined()
})

describe('while Redis does not answer', () => {
  const ask = (of: Rates, key: ReturnType<typeof aKey>, times: number) =>
    Promise.all(
      Array.from({ length: times }, () => checkRate(of, { ...key, limits, requests: 1, tokens: 0 })),
    ).then(results => results.filter(({ refusedBy }) => !refusedBy).length)
  const pause = (ms: number) => patient.call('CLIENT', 'PAUSE', ms, 'ALL')

  test('a process continues from what Redis returned, and Redis counts what was admitted', async () => {
    const own = aRates()
    const key = aKey()
    expect(await ask({ ...own, answerWithinMs: 10_000, batches: new Map() }, key, 12)).toBe(12)
    await pause(600)
    expect(await ask(own, key, 12)).toBe(8)
    expect(own.decidedLocally).toBe(12)
    // The late answer counted the same eight: nothing is counted twice.
    await expect.poll(() => own.unanswered.size).toBe(0)
    expect(await ask(own, key, 1)).toBe(0)
    expect(own.owed.take()).toEqual([])
  })

  test.each([
    ['before', 0],
    ['after', 800],
  ])('tokens corrected %s a late answer are corrected in Redis', async (_, afterMs) => {
    const own = aRates()
    const request = aRequest({ tph: 100 }, 90)
    await pause(500)
    const result = await checkRate(own, request)
    expect([result.revision, result.refusedBy]).toEqual([null, undefined])
    await sleep(afterMs)
    await correctTokens(own, { request, result, tokens: 10 })
    expect(own.owed.take()).toEqual([])
    const fresh = aRates({ answerWithinMs: 10_000 })
    expect((await checkRate(fresh, request)).left.tph).toBe(0)
  })

  test('what was admitted without any answer is counted once Redis answers', async () => {
    const broken = openRedis({ url: 'none', cluster: false, name: 'broken' })
    const key = aKey()
    const brokenRates = { ...aRates(), scripts: broken }
    expect(await ask(brokenRates, key, 15)).toBe(15)
    const back = { ...brokenRates, scripts: patient, batches: new Map(), answerWithinMs: 10_000 }
    expect(await ask(back, key, 12)).toBe(5)
  })

  test('what has left its window by then is not counted', async () => {
    const broken = openRedis({ url: 'none', cluster: false, name: 'broken' })
    const short = { ...aKey(), limits: { ...limits, burst: 3, burstWindowMs: 1_000, rpm: 5 } }
    const brokenRates = { ...aRates(), scripts: broken }
    const askShort = (of: Rates) => checkRate(of, { ...short, requests: 1, tokens: 0 })
    for (let asked = 0; asked < 3; asked++) expect((await askShort(brokenRates)).refusedBy).toBeUndefined()
    const { waitMs } = await askShort(brokenRates)
    await new Promise(resolve => setTimeout(resolve, waitMs + 100))
    const back = { ...brokenRates, scripts: patient, batches: new Map(), answerWithinMs: 10_000 }
    expect(await askShort(back)).toMatchObject({ refusedBy: undefined, left: { burst: 2, rpm: 1 } })
  })

  test('one call counts few of the keys', () => {
    const owed = new OwedCounts()
    for (let at = 0; at < 2_000; at++) owed.add({ request: aRequest() })
    const taken = [owed.take(), owed.take(), owed.take(), owed.take(), owed.take()]
    expect(taken.map(({ length }) => length)).toEqual([500, 500, 500, 500, 0])
  })
})

test('retries of refused requests are spread over the window, in order and never beyond it', () => {
  const times = new RetryTimes()
  const request = aRequest()
  const waits = Array.from({ length: 25 }, () =>
    times.next(request, { refusedBy: 'burst', waitMs: 400, now: 0 }),
  )
  expect(waits.slice(0, 3)).toEqual([400, 900, 1_400])
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits.at(-1)).toBe(10_000)
})

test('a window of tokens names when the tokens fit, however many requests it refused, and never more than its length', () => {
  const times = new RetryTimes()
  const request = aRequest({ tpd: 1_000 }, 900)
  const next = (waitMs: number) => times.next(request, { refusedBy: 'tpd', waitMs, now: 0 })
  expect([next(400), next(400), next(90_000_000)]).toEqual([400, 400, 86_400_000])
})

test('retries that the window of the account refused are spread over all of its keys', () => {
  const times = new RetryTimes()
  const waits = ['one', 'two', 'three'].map(keyId =>
    times.next(
      { accountId: 'shared', keyId, limits: { ...limits, account: 20 }, requests: 1, tokens: 0 },
      { refusedBy: 'account', waitMs: 400, now: 0 },
    ),
  )
  expect(waits).toEqual([400, 900, 1_400])
})

test('headers name the window that is nearest to its end', () => {
  const left = { burst: 12, rpm: 3, tph: null, tpd: 7, account: null }
  const all = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '3',
    'x-ratelimit-reset-requests': '60s',
    'x-ratelimit-limit-tokens': '100',
    'x-ratelimit-remaining-tokens': '7',
    'x-ratelimit-reset-tokens': '86400s',
  }
  expect(rateHeaders({ ...limits, rpm: 60, tpd: 100, account: null }, left)).toEqual(all)
  const { 'x-ratelimit-remaining-requests': _, 'x-ratelimit-remaining-tokens': __, ...limitsAlone } = all
  expect(rateHeaders({ ...limits, burst: 90, rpm: 60, tpd: 100, account: null }, undefined)).toEqual(
    limitsAlone,
  )
})

const hourBucketMs = 180_000

/** Ages a key's windows by a number of buckets of the hour. */
async function age({ accountId, keyId }: ReturnType<typeof aKey>, buckets: number): Promise<void> {
  const name = windowsName(rates.prefix, accountId, keyId)
  const state = (await patient.getBuffer(name))!
  const at = 2 * 8 * 22 // the third window, of an hour
  state.writeDoubleBE(state.readDoubleBE(at) - buckets, at)
  await patient.set(name, state, 'KEEPTTL')
}
