import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { deleteCredential, updateCredential } from '../../domain/byok/change-credentials.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'
import { aSlowVendor } from './a-slow-vendor.ts'

const system = perFile(aByokSystem)
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

test("the account's own credential is used, not held, not charged, and logged with cost 0", async () => {
  const client = await aClient(system, { creditNanos: 0n })
  const { id } = await system.aCredential(client, 'sim-customer-key')
  const response = await client.post('/chat/completions', saying('Hi'))
  expect(response.status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-customer-key'])
  const [log] = await system.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log).toMatchObject({ byok_id: id, cost_nanos: 0n, status: 200 })
  expect(log?.completion_tokens).toBeGreaterThan(0n)
  expect(await system.rowOf(id)).toMatchObject({ last_error: null, last_used_at: expect.any(Date) })
})

test('priority first, then the newest; each once; a failure is kept and the next one is tried', async () => {
  const client = await aClient(system)
  const last = await system.aCredential(client, 'sim-good-low', { priority: -5 })
  const older = await system.aCredential(client, 'sim-bad-older')
  await system.aCredential(client, 'sim-bad-newer')
  await system.aCredential(client, 'sim-bad-first', { priority: 10 })
  await system.aCredential(client, 'sim-good-disabled', { priority: 1000, disabled: true })
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-bad-first', 'sim-bad-newer', 'sim-bad-older', 'sim-good-low'])
  const failed = await system.rowOf(older.id)
  expect(failed.last_error).toMatch(/^401: /)
  expect(failed.last_error).not.toContain('sim-bad-older')
  expect((await system.rowOf(last.id)).last_error).toBeNull()
})

test.each([
  ['vendor_a', 'vendor_a/atlas'],
  ['vendor_b', 'vendor_b/lyric'],
  ['vendor_c', 'vendor_c/prism-pro'],
] as const)(
  'no trouble of %s is a second try: 500 and 429 are each called once, then the next one, then the platform',
  async (provider, model) => {
    const client = await aClient(system)
    const broken = await system.aCredential(client, 'sim-500-own', { provider, priority: 2 })
    const busy = await system.aCredential(client, 'sim-429-own', { provider, priority: 1 })
    for (const stream of [false, true]) {
      system.simulator.reset()
      const response = await client.post('/chat/completions', { ...saying('Hi', model), stream })
      expect(response.status).toBe(200)
      await response.text()
      expect(system.usedKeys()).toEqual(['sim-500-own', 'sim-429-own', 'sim-platform-key'])
    }
    const rows = await Promise.all([system.rowOf(broken.id), system.rowOf(busy.id)])
    expect(rows.map(row => row.last_used_at)).toEqual([null, null])
    expect(rows.map(row => row.last_error)).toEqual([
      expect.stringMatching(/^500: \w/),
      expect.stringMatching(/^429: \w/),
    ])
  },
)

test("always_use: no fallback; the vendor's 401 is told in its words, never as our 401", async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-bad-always', { alwaysUse: true })
  const response = await client.post('/chat/completions', saying('Hi'))
  expect(response.status).toBe(502)
  const body = await response.json()
  expect(body).toMatchObject({ error: { code: 'upstream_auth', type: 'upstream_error' } })
  expect(body.msg).toContain('Incorrect API key')
  expect(body.msg).not.toContain('sim-bad-always')
  expect(system.usedKeys()).toEqual(['sim-bad-always'])
})

test('always_use: no fallback to another model either', async () => {
  const large = saying('Hi', 'vendor_a/atlas-large') // the catalogue gives it a fallback
  const client = await aClient(system)
  const { id } = await system.aCredential(client, 'sim-500-always', { alwaysUse: true })
  expect((await client.post('/chat/completions', large)).status).toBe(502)
  expect(system.usedKeys()).toEqual(['sim-500-always'])
  const changes = { alwaysUse: false }
  await updateCredential(system.management(), { accountId: client.accountId, id, changes })
  system.simulator.reset()
  const atFault = saying('Hi [[fault: 404]]', 'vendor_a/atlas-large')
  expect((await client.post('/chat/completions', atFault)).status).toBe(502)
  expect(system.usedKeys()).toEqual([
    ...['sim-500-always', 'sim-platform-key'],
    ...['sim-500-always', 'sim-platform-key'],
  ])
})

describe('always_use on a row that is disabled', () => {
  const disable = (client: TestClient, id: string) =>
    updateCredential(system.management(), { accountId: client.accountId, id, changes: { disabled: true } })

  test.each([false, true])(
    'alone: refused with what to do, nothing is called or charged (stream: %s)',
    async stream => {
      const client = await aClient(system)
      const { id } = await system.aCredential(client, 'sim-own', { alwaysUse: true })
      await disable(client, id)
      const response = await client.post('/chat/completions', { ...saying('Hi'), stream })
      expect(response.status).toBe(403)
      const body = await response.json()
      expect(body).toMatchObject({ error: { code: 'byok_disabled', type: 'permission_error' } })
      expect(body.msg).toContain('always_use')
      expect(system.usedKeys()).toEqual([])
      expect((await balanceOf(system.context.sql, client.accountId)).credits).toBe(100_000_000_000n)
    },
  )

  test('beside one that is enabled: that one is tried, and the platform is not fallen back to', async () => {
    const client = await aClient(system)
    const { id } = await system.aCredential(client, 'sim-own', { alwaysUse: true })
    await system.aCredential(client, 'sim-500-other')
    await disable(client, id)
    expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(502)
    expect(system.usedKeys()).toEqual(['sim-500-other'])
  })
})

test('a client that leaves a stream of its own credential half-way pays nothing', async () => {
  const client = await aClient(system, { creditNanos: 0n })
  const { id } = await system.aCredential(client, 'sim-own-left')
  const stream = await client.openai.chat.completions.create({
    ...saying('say 500 words [[fault: trickle;ms=20]]'),
    stream: true,
  })
  let heard = 0
  for await (const _ of stream) if (++heard === 5) break
  await vi.waitFor(async () => {
    const logs = await system.context.sql`select * from request_logs where account_id = ${client.accountId}`
    expect(logs).toMatchObject([{ status: 499, error_code: 'client_left', byok_id: id, cost_nanos: 0n }])
    expect(logs[0]?.completion_tokens).toBeGreaterThan(0n)
  }, 5_000)
  expect(system.simulator.calls).toMatchObject([{ aborted: true }])
  const { credits, held, in_use } = await balanceOf(system.context.sql, client.accountId)
  expect([credits, held, in_use]).toEqual([0n, 0n, 0n])
})

test('a stream falls back before its first byte only', async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-bad-stream')
  const good = await client.post('/chat/completions', { ...saying('Hi'), stream: true })
  expect(await good.text()).toContain('[DONE]')
  const own = await aClient(system)
  await system.aCredential(own, 'sim-good-stream')
  await changeAllowance(system.context, { accountId: own.accountId, resource: 'refused_rows', limit: 0 })
  system.simulator.reset()
  const cut = await own.post('/chat/completions', {
    ...saying('say 60 words [[fault: cut;n=3]]'),
    stream: true,
  })
  expect(await cut.text()).not.toContain('[DONE]')
  expect(system.usedKeys()).toEqual(['sim-good-stream'])
  // It was answered in part, so its row is not one of a refusal.
  expect(await logsOf(system, own)).toHaveLength(1)
})

test('what is disabled or deleted is skipped by the next call of every process', async () => {
  const client = await aClient(system)
  const { id } = await system.aCredential(client, 'sim-good-one')
  const { accountId } = client
  const other = forThisTest(await startEdge(system.config))
  const clients = [client, clientOf({ baseURL: `${other.url}/v1` }, client)]
  const used = async () => {
    system.simulator.reset()
    for (const each of clients) expect((await each.post('/chat/completions', saying('Hi'))).status).toBe(200)
    return system.usedKeys()
  }
  const own = ['sim-good-one', 'sim-good-one']
  const platforms = ['sim-platform-key', 'sim-platform-key']
  expect(await used()).toEqual(own)
  await updateCredential(system.management(), { accountId, id, changes: { disabled: true } })
  expect(await used()).toEqual(platforms)
  await updateCredential(system.management(), { accountId, id, changes: { disabled: false } })
  expect(await used()).toEqual(own)
  await deleteCredential(system.management(), { accountId, id })
  expect(await used()).toEqual(platforms)
})

test('what is disabled or deleted while a request runs is not tried by it any more', async () => {
  const client = await aClient(system)
  const { accountId } = client
  const vendor = await aSlowVendor()
  await system.aCredential(client, 'sim-first', { baseUrl: vendor.url, priority: 3 })
  const disabled = await system.aCredential(client, 'sim-disabled', { priority: 2 })
  const deleted = await system.aCredential(client, 'sim-deleted', { priority: 1 })
  await system.aCredential(client, 'sim-last')
  const asked = client.post('/chat/completions', saying('Hi'))
  await vendor.called
  await updateCredential(system.management(), { accountId, id: disabled.id, changes: { disabled: true } })
  await deleteCredential(system.management(), { accountId, id: deleted.id })
  vendor.fail()
  expect((await asked).status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-last'])
})
