import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { revisionName } from '../rates/rate-script.ts'
import { announceKeyChanges, raiseRevision } from './key-revision.ts'

let system: TestSystem
beforeAll(async () => {
  system = await aSystem()
  await vi.waitUntil(() => system.context.redis.status === 'ready')
})
afterAll(() => system.close())

const accountId = '0190a8c0-0000-7000-8000-000000000001'
const known = (keyId: string) =>
  system.context.redis.get(revisionName(system.config.redisPrefix, accountId, keyId))

test('a revision is never lowered', async () => {
  const name = revisionName(system.config.redisPrefix, accountId, 'one')
  for (const revision of [7n, 3n])
    expect(await raiseRevision(system.context.redis, name, revision)).toBe(true)
  expect(await known('one')).toBe('7')
})

test('many keys are announced in about the time of one', async () => {
  const keys = Array.from({ length: 1_700 }, (_, index) => ({
    keyId: `key-${index}`,
    revision: BigInt(index + 1),
  }))
  const startedAt = performance.now()
  await announceKeyChanges(system.context, { accountId, keys })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  for (const index of [0, 499, 500, 1_699]) expect(await known(`key-${index}`)).toBe(String(index + 1))
})

test('without changed keys there is no pause', async () => {
  const startedAt = performance.now()
  await announceKeyChanges(system.context, { accountId, keys: [] })
  expect(performance.now() - startedAt).toBeLessThan(50)
})
