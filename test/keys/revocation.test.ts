import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { announceKeyChange } from '../../domain/keys/key-revision.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { startControl } from '../../gateway/start-control.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { aSlowVendor } from '../byok/a-slow-vendor.ts'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { aPerson, aRestCaller } from '../harness/a-rest-caller.ts'
import { balanceOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(aByokSystem)

test('once a revocation is confirmed, no upstream call starts with that key', async () => {
  const client = await aClient(system)
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
  system.simulator.reset()
  await revoke(client)
  confirmedAt = Date.now()
  await load
  await client.post('/chat/completions', saying('Hi'))
  const late = system.simulator.calls.filter(call => call.at > confirmedAt)
  expect(late).toEqual([])
})

test('once DELETE of a key has answered, no edge starts an upstream call with it', async () => {
  const [control, other] = [await startControl(system.config), await startEdge(system.config)]
  onTestFinished(async () => {
    await other.close()
    await control.close()
  })
  const rest = aRestCaller(control.url)
  const { accountId, token } = await aPerson(rest)
  const grant = { accountId, amountNanos: 10_000_000_000n, source: 'g', paymentMethod: 'grant' }
  await creditAccount(system.context, grant)

  for (let round = 0; round < 3; round++) {
    const made = (await rest('POST', '/api-keys', { token, body: { name: `key ${round}` } })).body
    const key = { accountId, keyId: made.id, text: made.key }
    const clients = [system.baseURL, `${other.url}/v1`].map(baseURL => clientOf({ baseURL }, key))
    const served = clients.map(() => 0)
    const load = clients.flatMap((client, edge) =>
      Array.from({ length: 5 }, async () => {
        for (;;) {
          const response = await client.post('/chat/completions', saying('Hi'))
          if (response.status !== 200) return [response.status, await response.json()]
          await response.arrayBuffer()
          served[edge]! += 1
        }
      }),
    )
    await expect.poll(() => Math.min(...served), { timeout: 10_000 }).toBeGreaterThan(20)
    system.simulator.reset()
    expect((await rest('DELETE', `/api-keys/${made.id}`, { token })).status).toBe(204)
    const answeredAt = Date.now()
    const refused = [401, { code: 401, msg: 'You do not have access permissions' }]
    expect(await Promise.all(load)).toEqual(load.map(() => refused))
    for (const client of clients)
      expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(401)
    expect(system.simulator.calls.filter(call => call.at > answeredAt)).toEqual([])
  }
})

test.each([
  ['another credential', false],
  ['another credential', true],
  ['the platform', false],
  ['the platform', true],
])(
  'a key revoked between two tries: %s, the next one, is not called, nothing is charged (stream: %s)',
  async (next, stream) => {
    const client = await aClient(system)
    const vendor = await aSlowVendor()
    await system.aCredential(client, 'sim-first', { baseUrl: vendor.url, priority: 1 })
    if (next === 'another credential') await system.aCredential(client, 'sim-second')
    system.simulator.reset()
    const asked = client.post('/chat/completions', { ...saying('Hi'), stream })
    await vendor.called
    await revoke(client)
    vendor.fail()
    const response = await asked
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ code: 401, msg: 'You do not have access permissions' })
    expect(system.usedKeys()).toEqual([])
    const logs = await system.context.sql`select * from request_logs where account_id = ${client.accountId}`
    expect(logs).toMatchObject([{ status: 401, cost_nanos: 0n }])
    const { credits, in_use } = await balanceOf(system.context.sql, client.accountId)
    expect([credits, in_use]).toEqual([100_000_000_000n, 0n])
  },
)

test('a key revoked while Redis had forgotten everything is refused all the same', async () => {
  const client = await aClient(system)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  const names = await system.context.redis.keys(`${system.config.redisPrefix}*`)
  await revoke(client)
  if (names.length > 0) await system.context.redis.del(...names)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(401)
})

test('a changed limit acts within a second', async () => {
  const client = await aClient(system)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  await system.context.sql`
    update api_keys set rate_limit_rpm = 0, revision = revision + 1 where id = ${client.keyId}`
  await sleep(1_000)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(429)
})

test("an account's own share of requests acts within a second, and so does its end", async () => {
  const client = await aClient(system)
  const ask = async () => (await client.post('/chat/completions', saying('Hi'))).status
  const { accountId } = client
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200])
  await changeAllowance(system.context, { accountId, resource: 'key_requests', limit: 4 })
  await sleep(1_000)
  expect([await ask(), await ask()]).toEqual([200, 429])
  await changeAllowance(system.context, { accountId, resource: 'key_requests', limit: null })
  await sleep(1_000)
  expect(await ask()).toBe(200)
})

test('an address list and a rate are in force when their change is confirmed, both ways', async () => {
  const client = await aClient(system)
  const ask = async () => (await client.post('/chat/completions', saying('Hi'))).status
  const set = (list: string[], rpm: number | null) =>
    change(client, async () => {
      await system.context.sql`
        update api_keys set ip_whitelist = ${list}, rate_limit_rpm = ${rpm} where id = ${client.keyId}`
    })
  expect(await ask()).toBe(200)
  await set(['10.0.0.0/8'], null)
  expect(await ask()).toBe(403)
  await set([], 0)
  expect(await Promise.all(Array.from({ length: 15 }, ask))).toEqual(Array(15).fill(429))
  await set([], null)
  expect(await ask()).toBe(200)
})

async function change({ accountId, keyId }: TestClient, apply: () => Promise<void>): Promise<void> {
  await apply()
  const [row] = await system.context.sql<{ revision: bigint }[]>`
    update api_keys set revision = revision + 1 where id = ${keyId} returning revision`
  await announceKeyChange(system.context, { accountId, keyId, revision: row!.revision })
}

async function revoke({ accountId, keyId }: TestClient): Promise<void> {
  const [row] = await system.context.sql<{ revision: bigint }[]>`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${keyId} returning revision`
  await announceKeyChange(system.context, { accountId, keyId, revision: row!.revision })
}
