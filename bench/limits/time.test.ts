import { expect, test, vi } from 'vitest'
import { openTryCounter } from '../../domain/accounts/try-counter.ts'
import { announceKeyChanges } from '../../domain/keys/key-revision.ts'
import { systemClock } from '../../platform/clock.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { perFile } from '../../test/harness/per-file.ts'

const accountId = '0190a8c0-0000-7000-8000-000000000001'
const system = perFile(aSystem)
const withoutRedis = perFile(() => aSystem({ REDIS_URL: 'redis://127.0.0.1:1' }))

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

test('a log-in attempt costs the same to count, however many names are remembered', async () => {
  const { redis } = withoutRedis.context
  const counter = openTryCounter({
    redis,
    clock: systemClock,
    prefix: 'limits:',
    windowSeconds: 60,
    maxRemembered: 10_000,
  })
  const countFrom = async (first: number) => {
    for (let name = first; name < first + 5_000; name++) await counter.count(`name ${name}`)
  }
  const few = await timeOf(() => countFrom(0))
  await countFrom(5_000)
  expect(await timeOf(() => countFrom(10_000))).toBeLessThan(5 * few + 100)
})

test('1,700 key changes are announced within a second, and none without a delay', async () => {
  const { redis } = system.context
  await vi.waitUntil(() => redis.status === 'ready')
  const keys = Array.from({ length: 1_700 }, (_, index) => ({
    keyId: `key-${index}`,
    revision: BigInt(index + 1),
  }))
  expect(await timeOf(() => announceKeyChanges(system.context, { accountId, keys }))).toBeLessThan(1_000)
  expect(await timeOf(() => announceKeyChanges(system.context, { accountId, keys: [] }))).toBeLessThan(50)
})
