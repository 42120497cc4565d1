import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, inject, test } from 'vitest'
import { openRedis } from '../platform/redis/open-redis.ts'
import { perFile } from '../test/harness/per-file.ts'
import { openMinuteUse } from './minute-use.ts'

const redis = perFile(async () => {
  const client = openRedis({ url: inject('redisUrl'), cluster: false, name: 'test', commandTimeoutMs: 5_000 })
  await once(client, 'ready')
  return Object.assign(client, { close: () => client.disconnect() })
})

function processAt(time: { ms: number }) {
  return openMinuteUse({ now: () => time.ms, monotonic: () => time.ms })
}

test('processes see the use of all, and an earlier minute fades', async () => {
  const time = { ms: 60_000 * 1_000 }
  const name = randomUUID()
  const [one, other] = [processAt(time), processAt(time)]
  one.add({ requests: 3, tokens: 40 })
  other.add({ requests: 2 })
  await one.exchange(redis, name)
  await other.exchange(redis, name)
  await one.exchange(redis, name)
  other.add({ requests: 1 })
  expect([one.now(), other.now()]).toEqual([
    { requests: 5, tokens: 40 },
    { requests: 6, tokens: 40 },
  ])
  await other.exchange(redis, name)
  time.ms += 90_000
  await one.exchange(redis, name)
  expect(one.now()).toEqual({ requests: 3, tokens: 20 })
})

test('without Redis, a process counts its own use', async () => {
  const time = { ms: 60_000 * 1_000 }
  const use = processAt(time)
  const none = openRedis({ url: 'none', cluster: false, name: 'none' })
  use.add({ requests: 2 })
  await use.exchange(none, 'any')
  use.add({ requests: 1 })
  expect(use.now().requests).toBe(3)
})

test('the use during an outage of Redis counts in all processes after it', async () => {
  const time = { ms: 60_000 * 1_000 }
  const name = randomUUID()
  const [one, other] = [processAt(time), processAt(time)]
  one.add({ requests: 2 })
  await one.exchange(openRedis({ url: 'none', cluster: false, name: 'none' }), name)
  await other.exchange(redis, name)
  await one.exchange(redis, name)
  await other.exchange(redis, name)
  expect([one.now().requests, other.now().requests]).toEqual([2, 2])
})

test('processes that call at the same time exceed a limit by the calls of one exchange at most', async () => {
  const time = { ms: 60_000 * 1_000 }
  const name = randomUUID()
  const processes = [processAt(time), processAt(time)]
  let called = 0
  for (let round = 0; round < 20; round++) {
    for (const use of processes)
      for (let call = 0; call < 3; call++)
        if (use.now().requests < 30) {
          use.add({ requests: 1 })
          called += 1
        }
    await Promise.all(processes.map(use => use.exchange(redis, name)))
  }
  expect(called).toBeGreaterThanOrEqual(30)
  expect(called).toBeLessThanOrEqual(30 + 2 * 2 * 3)
})
