import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aHouse, type TestHouse } from '../../test/harness/a-context.ts'
import { checkRate, correctTokens, openRates, type Rates } from './check-rate.ts'
import { LocalRates } from './local-rates.ts'
import { rateHeaders } from './rate-headers.ts'
import type { RateLimits } from './window.ts'

let house: TestHouse
let rates: Rates
let turn = 0

beforeAll(async () => {
  house = await aHouse()
  await new Promise(resolve => house.context.redis.once('ready', resolve))
  rates = openRates({ redis: house.context.redis, prefix: house.config.redisPrefix, isCluster: false })
})
afterAll(() => house.close())

const limits: RateLimits = { burst: 20, burstWindowMs: 10_000, rpm: null, tph: null, tpd: null }
const aKey = () => ({ accountId: 'account', keyId: `key-${turn++}` })

test('twenty of a hundred requests at once pass; the others hear how long to wait', async () => {
  const key = aKey()
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => checkRate(rates, { ...key, limits, tokens: 0 })),
  )
  expect(answers.filter(answer => !answer.refusedBy)).toHaveLength(20)
  const refused = answers.at(-1)!
  expect(refused).toMatchObject({ refusedBy: 'burst', left: { burst: 0, rpm: null } })
  expect(refused.waitMs).toBeGreaterThan(9_000)
  expect(refused.waitMs).toBeLessThanOrEqual(10_500)
})

test('a window that is over lets requests through again', async () => {
  const key = aKey()
  const short = { ...limits, burst: 2, burstWindowMs: 1_000 }
  const ask = () => checkRate(rates, { ...key, limits: short, tokens: 0 })
  await ask()
  await ask()
  const { waitMs } = await ask()
  expect(waitMs).toBeGreaterThan(0)
  await new Promise(resolve => setTimeout(resolve, waitMs + 5))
  expect((await ask()).refusedBy).toBeUndefined()
})

test('token windows count what a request really took', async () => {
  const key = aKey()
  const question = { ...key, limits: { ...limits, tph: 100, tpd: 1_000 }, tokens: 40 }
  expect((await checkRate(rates, question)).left).toMatchObject({ tph: 60, tpd: 960 })
  await correctTokens(rates, question, 30)
  expect((await checkRate(rates, question)).refusedBy).toBe('tph')
  await correctTokens(rates, question, -50)
  expect((await checkRate(rates, question)).left).toMatchObject({ tph: 40, tpd: 940 })
})

test('a refusal takes nothing', async () => {
  const key = aKey()
  const question = { ...key, limits: { ...limits, rpm: 1 }, tokens: 0 }
  await checkRate(rates, question)
  for (let i = 0; i < 30; i++) expect((await checkRate(rates, question)).refusedBy).toBe('rpm')
  expect((await checkRate(rates, { ...question, limits })).left.burst).toBe(18)
})

test('the process counts as Redis does', async () => {
  const local = new LocalRates()
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        burst: fc.integer({ min: 1, max: 6 }),
        rpm: fc.option(fc.integer({ min: 0, max: 6 })),
        tph: fc.option(fc.integer({ min: 0, max: 60 })),
        tpd: fc.option(fc.integer({ min: 0, max: 90 })),
      }),
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 }),
      async (drawn, amounts) => {
        const key = aKey()
        for (const tokens of amounts) {
          const question = { ...key, limits: { burstWindowMs: 3_600_000, ...drawn }, tokens }
          const [theirs, ours] = [await checkRate(rates, question), local.check(question, Date.now())]
          expect({ refusedBy: ours.refusedBy, left: ours.left }).toEqual({
            refusedBy: theirs.refusedBy,
            left: theirs.left,
          })
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('headers name the window that is nearest to its end', () => {
  const left = { burst: 12, rpm: 3, tph: null, tpd: 7 }
  const told = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '3',
    'x-ratelimit-reset-requests': '60s',
    'x-ratelimit-limit-tokens': '100',
    'x-ratelimit-remaining-tokens': '7',
    'x-ratelimit-reset-tokens': '86400s',
  }
  expect(rateHeaders({ ...limits, rpm: 60, tpd: 100 }, left)).toEqual(told)
  const { 'x-ratelimit-remaining-requests': _, 'x-ratelimit-remaining-tokens': __, ...limitsAlone } = told
  expect(rateHeaders({ ...limits, burst: 90, rpm: 60, tpd: 100 }, undefined)).toEqual(limitsAlone)
})
