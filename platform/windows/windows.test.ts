import { expect, test, vi } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openRedis } from '../redis/open-redis.ts'
import { openSharedWindows } from './shared-windows.ts'
import { openWindows } from './windows.ts'

const system = perFile(aSystem)

test('an amount that would exceed the limit is not counted, a smaller one is, and windows end', () => {
  let now = 0
  const windows = openWindows({ windowMs: 1_000, now: () => now })
  expect(windows.count('a', { max: 10, amount: 8 })).toEqual({ isCounted: true, count: 8, leftMs: 1_000 })
  now = 400
  expect(windows.count('a', { max: 10, amount: 3 })).toEqual({ isCounted: false, count: 8, leftMs: 600 })
  expect(windows.count('a', { max: 10, amount: 2 }).isCounted).toBe(true)
  now = 1_000
  expect(windows.peek('a')).toBeUndefined()
  expect(windows.count('a', { max: 10, amount: 10 }).isCounted).toBe(true)
})

test('above the number of names that are kept, the windows that began first are dropped', () => {
  const windows = openWindows({ windowMs: 1_000, maxNames: 2, now: () => 0 })
  for (const name of ['a', 'b', 'a', 'c']) windows.count(name, { max: 5 })
  expect([windows.peek('a'), windows.peek('b')?.count, windows.peek('c')?.count]).toEqual([undefined, 1, 1])
})

test('processes share windows, and without Redis each continues from what Redis last returned', async () => {
  const { config, context } = system
  const ending = openRedis({ url: config.redisUrl, cluster: false, name: 'ending', commandTimeoutMs: 5_000 })
  await vi.waitUntil(() => ending.status === 'ready' && context.redis.status === 'ready')
  const shared = { prefix: config.redisPrefix, windowMs: 60_000 }
  const one = openSharedWindows({ ...shared, redis: context.redis })
  const other = openSharedWindows({ ...shared, redis: ending })
  const limit = { name: '{x}:a', max: 5 }
  await one.count([{ ...limit, amount: 3 }])
  expect(await other.count([limit, { name: '{x}:b', max: 0 }])).toMatchObject([
    { isCounted: true, count: 4 },
    { isCounted: false, count: 0, leftMs: 60_000 },
  ])
  ending.disconnect()
  expect(await other.count([limit])).toMatchObject([{ isCounted: true, count: 5 }])
  expect(await other.count([limit])).toMatchObject([{ isCounted: false, count: 5 }])
})
