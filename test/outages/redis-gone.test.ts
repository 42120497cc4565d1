import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeSystem, type EdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'

let system: EdgeSystem
let redis: Awaited<ReturnType<typeof startRedis>>
let port: number

beforeAll(async () => {
  port = await freePort()
  redis = await startRedis({ binary: await ensureRedisServer(), port })
  system = await anEdgeSystem({ REDIS_URL: redis.url })
})
afterAll(async () => {
  await system.close()
  await redis.stop()
})

test('without Redis requests are served, limited and revoked; with it again, it counts', async () => {
  const client = await aClient(system, { rpm: 3 })
  const doomed = await aClient(system)
  const ask = async (who = client) => (await who.post('/chat/completions', saying('Hi'))).status
  expect([await ask(), await ask(doomed)]).toEqual([200, 200])

  await redis.stop()
  await sleep(100)
  // The process continues from what Redis returned: two of three are left.
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  await system.context
    .sql`update api_keys set revoked_at = now(), revision = revision + 1 where id = ${doomed.keyId}`
  expect(await ask(doomed)).toBe(401)

  redis = await startRedis({ binary: await ensureRedisServer(), port })
  for (let tries = 0; tries < 40 && system.context.redis.status !== 'ready'; tries++) await sleep(50)
  await sleep(700)
  // The process writes the requests that it admitted in the meantime to the empty Redis.
  expect([await ask(), await ask()]).toEqual([200, 429])
  expect(await ask(doomed)).toBe(401)
  await expectLedgerToBalance(system.context.sql)
})

test('Redis killed and back again and again under load: every request is answered', async () => {
  const client = await aClient(system)
  const answers = new Map<string, number>()
  let stopping = false
  const load = Array.from({ length: 20 }, async () => {
    while (!stopping) {
      const response = await client.post('/chat/completions', saying('Hi'))
      const text = await response.text()
      const answer = response.status === 200 ? '200' : text
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  })
  for (let round = 0; round < 4; round++) {
    await sleep(250)
    process.kill(redis.pid, 'SIGKILL')
    await redis.ended
    await sleep(250)
    redis = await startRedis({ binary: await ensureRedisServer(), port })
  }
  stopping = true
  await Promise.all(load)
  expect([...answers.keys()]).toEqual(['200'])
  await expectLedgerToBalance(system.context.sql)
}, 40_000)

test('where there is no Redis at all, requests are served, limited and revoked', async () => {
  const without = await anEdgeSystem({ REDIS_URL: 'none' })
  onTestFinished(() => without.close())
  expect(without.context.redis.status).toBe('end')
  const [client, doomed] = [await aClient(without, { rpm: 3 }), await aClient(without)]
  const ask = async (who = client) => (await who.post('/chat/completions', saying('Hi'))).status
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429])
  expect(await ask(doomed)).toBe(200)
  await without.context.sql`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${doomed.keyId}`
  await expect.poll(() => ask(doomed), { timeout: 2_000 }).toBe(401)
  await expectLedgerToBalance(without.context.sql)
})
