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
