import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { announceKeyChange } from '../domain/keys/key-revision.ts'
import { aClient, saying, type TestClient } from './harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse()
})
afterAll(() => house.close())

test('once a revocation is confirmed, no upstream call starts with that key', async () => {
  const client = await aClient(house)
  let confirmedAt = Number.POSITIVE_INFINITY
  const load = Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let status = 200; status === 200; ) {
        const response = await client.post('/chat/completions', saying('Hi'))
        status = response.status
        if (status !== 200)
          expect(await response.json()).toEqual({ code: 401, msg: 'You do not have access permissions' })
      }
    }),
  )
  await sleep(300)
  house.simulator.reset()
  await revoke(client)
  confirmedAt = Date.now()
  await load
  await client.post('/chat/completions', saying('Hi'))
  const late = house.simulator.calls.filter(call => call.at > confirmedAt)
  expect(late).toEqual([])
})

test('a key revoked while Redis had forgotten everything is refused all the same', async () => {
  const client = await aClient(house)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  const names = await house.context.redis.keys(`${house.config.redisPrefix}*`)
  await revoke(client)
  if (names.length > 0) await house.context.redis.del(...names)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(401)
})

test('a changed limit acts within a second', async () => {
  const client = await aClient(house)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  await house.context.sql`
    update api_keys set rate_limit_rpm = 0, revision = revision + 1 where id = ${client.keyId}`
  await sleep(1_000)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(429)
})

async function revoke({ accountId, keyId }: TestClient): Promise<void> {
  const [row] = await house.context.sql<{ revision: bigint }[]>`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${keyId} returning revision`
  await announceKeyChange(house.context, { accountId, keyId, revision: row!.revision })
}
