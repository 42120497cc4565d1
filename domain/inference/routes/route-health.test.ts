import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { openRedis } from '../../../platform/redis/open-redis.ts'
import { openRouteHealth, scoreOf } from './route-health.ts'

const own = { id: 'chat.atlas', provider: 'vendor_a' }
const accountId = 'acc_1'
const other = { id: 'chat.atlas', provider: 'vendor_f' }

async function processesOf(count: number) {
  const prefix = `t${randomUUID()}:`
  const time = { ms: 60_000 * 1_000 }
  const clock = { now: () => time.ms, monotonic: () => time.ms }
  const redis = openRedis({ url: inject('redisUrl'), cluster: false, name: 'test', commandTimeoutMs: 5_000 })
  await once(redis, 'ready')
  const processes = Array.from({ length: count }, () => openRouteHealth({ redis, prefix, clock }))
  onTestFinished(() => {
    for (const each of processes) each.close()
    redis.disconnect()
  })
  return { processes, time }
}

const noAnswers = { answers: 0, tokens: 0, answerMs: 0 }

test('the score is the mean time to the first chunk, times 1 + 20 × the share of failures', () => {
  const calls = { ...noAnswers, calls: 100, failures: 0, streams: 50, firstByteMs: 20_000 }
  expect(scoreOf([calls])).toBe(400)
  expect(scoreOf([{ ...calls, failures: 10 }])).toBe(1_200)
  expect(scoreOf([{ ...calls, streams: 0, firstByteMs: 0 }])).toBe(1_000)
})

test('the failures of one account do not count while other accounts call', () => {
  const calls = { ...noAnswers, calls: 100, failures: 0, streams: 100, firstByteMs: 40_000 }
  const failing = { ...noAnswers, calls: 500, failures: 500, streams: 0, firstByteMs: 0 }
  expect(scoreOf([failing, calls])).toBe(400)
  expect(scoreOf([failing, { ...calls, failures: 10 }])).toBe(1_200)
  expect(scoreOf([failing, { ...calls, calls: 4, streams: 4, firstByteMs: 1_600 }])).toBeGreaterThan(8_000)
})

test('a route with fewer than five calls comes first, so that it is measured', () => {
  expect(scoreOf([{ ...noAnswers, calls: 4, failures: 4, streams: 0, firstByteMs: 0 }])).toBe(0)
})

test('processes share their measures within about a second; after five minutes they are forgotten', async () => {
  const { processes, time } = await processesOf(2)
  const [one, two] = [processes[0]!, processes[1]!]
  for (let call = 0; call < 6; call++) {
    one.record(own, { accountId, isFailed: false, firstByteMs: 300 })
    two.record(other, { accountId, isFailed: true })
  }
  expect([one.score(own), one.score(other), two.score(own)]).toEqual([300, 0, 0])
  await vi.waitFor(
    () => {
      expect([one.score(own), one.score(other)]).toEqual([300, 21_000])
      expect([two.score(own), two.score(other), two.latency(own)]).toEqual([300, 21_000, 300])
    },
    { timeout: 5_000, interval: 50 },
  )
  time.ms += 5 * 60_000
  await vi.waitFor(() => expect([one.score(own), one.score(other)]).toEqual([0, 0]), {
    timeout: 5_000,
    interval: 50,
  })
})

test('without Redis, a process has its own measures', async () => {
  const clock = { now: () => 0, monotonic: () => 0 }
  const health = openRouteHealth({
    redis: openRedis({ url: 'none', cluster: false, name: 'none' }),
    prefix: '',
    clock,
  })
  onTestFinished(() => health.close())
  for (let call = 0; call < 5; call++) {
    health.record(own, { accountId, isFailed: false, firstByteMs: 200 })
    health.recordAnswer(own, { tokens: 40 * call, durationMs: 500 })
  }
  expect(health.msPerThousandTokens(own)).toBe(0) // one of them was empty
  health.recordAnswer(own, { tokens: 600, durationMs: 500 })
  await new Promise(resolve => setTimeout(resolve, 1_200))
  expect([health.score(own), health.msPerThousandTokens(own)]).toEqual([200, 2_500])
})
