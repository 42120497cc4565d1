import { beforeAll, expect, test, vi } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { openTryCounter } from './try-counter.ts'

const system = perFile(aSystem)

beforeAll(async () => {
  await vi.waitUntil(() => system.context.redis.status === 'ready')
})

const clock = { at: 1_000_000, now: () => clock.at, monotonic: () => clock.at }

/** A counter of windows of 60 seconds. */
function aCounter(redis = system.context.redis, max?: number) {
  return openTryCounter({
    redis,
    clock,
    prefix: system.config.redisPrefix,
    windowSeconds: 60,
    maxRemembered: max,
  })
}

/** One whose Redis never answers: it counts in this process alone. */
async function aLonelyCounter(max?: number) {
  const withoutRedis = forThisTest(await aSystem({ REDIS_URL: 'redis://127.0.0.1:1' }))
  return aCounter(withoutRedis.context.redis, max)
}

const storedNames = () => system.context.redis.keys(`${system.config.redisPrefix}tries:*`)
const countOf = async (counter: ReturnType<typeof aCounter>, name: string) =>
  (await counter.count(name)).tries

test('a name of any length takes little memory in Redis, and different names are counted apart', async () => {
  const counter = aCounter()
  const long = 'x'.repeat(1_000_000)
  expect([await countOf(counter, `${long}a`), await countOf(counter, `${long}b`)]).toEqual([1, 1])
  expect(await countOf(counter, `${long}a`)).toBe(2)
  for (const name of await storedNames()) expect(name.length).toBeLessThan(100)
})

test('a try that is taken back leaves nothing behind when it was the only one', async () => {
  const counter = aCounter()
  await system.context.redis.del(...(await storedNames()))
  await counter.count('once')
  await counter.takeBack('once')
  expect(await storedNames()).toEqual([])
  await counter.count('twice')
  await counter.count('twice')
  await counter.takeBack('twice')
  expect(await countOf(counter, 'twice')).toBe(2)
})

test('without Redis a window ends at its time, and what was taken back or cleared does not count', async () => {
  const counter = await aLonelyCounter()
  expect(await counter.count('one')).toEqual({ tries: 1, secondsLeft: 60 })
  clock.at += 20_000
  expect(await counter.count('one')).toEqual({ tries: 2, secondsLeft: 40 })
  await counter.takeBack('one')
  expect(await countOf(counter, 'one')).toBe(2)
  await counter.clear('one')
  expect(await counter.count('one')).toEqual({ tries: 1, secondsLeft: 60 })
  clock.at += 60_000
  expect(await counter.count('one')).toEqual({ tries: 1, secondsLeft: 60 })
})

test('it remembers so many names, the oldest forgotten first', async () => {
  const counter = await aLonelyCounter(3)
  for (const name of ['a', 'b', 'c']) await counter.count(name)
  expect(await countOf(counter, 'b')).toBe(2)
  await counter.count('d')
  expect([await countOf(counter, 'c'), await countOf(counter, 'b')]).toEqual([2, 3])
  expect(await countOf(counter, 'a')).toBe(1)
})
