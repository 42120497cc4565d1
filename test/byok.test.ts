import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCredential } from '../domain/byok/create-credential.ts'
import type { CredentialSettings } from '../domain/byok/credential-settings.ts'
import { deleteCredential } from '../domain/byok/delete-credential.ts'
import { updateCredential } from '../domain/byok/update-credential.ts'
import type { ManagementContext } from '../domain/management-context.ts'
import { openOrm } from '../platform/postgres/open-orm.ts'
import { entities } from '../schema/entities/entities.ts'
import { aClient, saying, type TestClient } from './harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse
let orm: ReturnType<typeof openOrm>

beforeAll(async () => {
  house = await anEdgeHouse()
  orm = openOrm({ url: house.config.databaseUrl, name: 'test', entities })
})
beforeEach(() => house.simulator.reset())
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(async () => {
  await orm.close()
  await house.close()
})

const management = (): ManagementContext => ({ ...house.context, em: orm.em.fork() })

function aCredential({ accountId }: TestClient, apiKey: string, more: CredentialSettings = {}) {
  const settings = { label: apiKey, apiKey, ...more }
  return createCredential(management(), { accountId, provider: 'vendor_a', settings })
}

async function rowOf(id: string) {
  await new Promise(resolve => setTimeout(resolve, 200)) // outcomes are written in groups
  const [row] = await house.context.sql`select * from provider_credentials where id = ${id}`
  return row!
}

const usedKeys = () =>
  house.simulator.calls.map(call => String(call.headers.authorization).replace('Bearer ', ''))

test("the account's own credential is used, not held, not charged, and logged with cost 0", async () => {
  const client = await aClient(house, { creditNanos: 0n })
  const { id } = await aCredential(client, 'sim-customer-key')
  const response = await client.post('/chat/completions', saying('Hi'))
  expect(response.status).toBe(200)
  expect(usedKeys()).toEqual(['sim-customer-key'])
  const [log] = await house.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log).toMatchObject({ byok_id: id, cost_nanos: 0n, status: 200 })
  expect(log?.completion_tokens).toBeGreaterThan(0n)
  expect(await rowOf(id)).toMatchObject({ last_error: null, last_used_at: expect.any(Date) })
})

test('priority first, then the newest; each once; a failure is kept and the next one is tried', async () => {
  const client = await aClient(house)
  const last = await aCredential(client, 'sim-good-low', { priority: -5 })
  const older = await aCredential(client, 'sim-bad-older')
  await aCredential(client, 'sim-bad-newer')
  await aCredential(client, 'sim-bad-first', { priority: 10 })
  await aCredential(client, 'sim-good-disabled', { priority: 1000, disabled: true })
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect(usedKeys()).toEqual(['sim-bad-first', 'sim-bad-newer', 'sim-bad-older', 'sim-good-low'])
  const failed = await rowOf(older.id)
  expect(failed.last_error).toMatch(/^401: /)
  expect(failed.last_error).not.toContain('sim-bad-older')
  expect((await rowOf(last.id)).last_error).toBeNull()
})

test('where none succeeds the platform answers, held and charged', async () => {
  const client = await aClient(house)
  await aCredential(client, 'sim-bad-only')
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect(usedKeys()).toEqual(['sim-bad-only', 'sim-platform-key'])
  expect((await balanceOf(house.context.sql, client.accountId)).credits).toBeLessThan(100_000_000_000n)
})

test("always_use: no fallback; the vendor's 401 is told in its words, never as our 401", async () => {
  const client = await aClient(house)
  await aCredential(client, 'sim-bad-always', { alwaysUse: true })
  const response = await client.post('/chat/completions', saying('Hi'))
  expect(response.status).toBe(502)
  const body = await response.json()
  expect(body).toMatchObject({ error: { code: 'upstream_auth', type: 'upstream_error' } })
  expect(body.msg).toContain('Incorrect API key')
  expect(body.msg).not.toContain('sim-bad-always')
  expect(usedKeys()).toEqual(['sim-bad-always'])
})

test('a stream falls back before its first byte only', async () => {
  const client = await aClient(house)
  await aCredential(client, 'sim-bad-stream')
  const good = await client.post('/chat/completions', { ...saying('Hi'), stream: true })
  expect(await good.text()).toContain('[DONE]')
  const own = await aClient(house)
  await aCredential(own, 'sim-good-stream')
  house.simulator.reset()
  const cut = await own.post('/chat/completions', {
    ...saying('say 60 words [[fault: cut;n=3]]'),
    stream: true,
  })
  expect(await cut.text()).not.toContain('[DONE]')
  expect(usedKeys()).toEqual(['sim-good-stream'])
})

test('what is disabled or deleted is skipped by the next call', async () => {
  const client = await aClient(house)
  const { id } = await aCredential(client, 'sim-good-one')
  const { accountId } = client
  const used = async () => {
    house.simulator.reset()
    await client.post('/chat/completions', saying('Hi'))
    return usedKeys()
  }
  expect(await used()).toEqual(['sim-good-one'])
  await updateCredential(management(), { accountId, id, changes: { disabled: true } })
  expect(await used()).toEqual(['sim-platform-key'])
  await updateCredential(management(), { accountId, id, changes: { disabled: false } })
  expect(await used()).toEqual(['sim-good-one'])
  await deleteCredential(management(), { accountId, id })
  expect(await used()).toEqual(['sim-platform-key'])
})

test("a credential's base_url leads through the guard to public addresses only", async () => {
  const client = await aClient(house)
  await aCredential(client, 'sim-own-address', { baseUrl: `${house.simulator.url}/openai/v1` })
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect(usedKeys()).toEqual(['sim-own-address'])
})
