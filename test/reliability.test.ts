import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { aClient, saying } from './harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse()
})
beforeEach(() => house.simulator.reset())
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

test.each([false, true])(
  'a vendor that stumbles once is asked again before the first byte (stream: %s)',
  async stream => {
    const client = await aClient(house)
    const body = { ...saying(`Hi [[fault: flaky;n=1;status=500;key=retry-${stream}]]`), stream }
    const response = await client.post('/chat/completions', body)
    expect(response.status).toBe(200)
    await response.text()
    expect(house.simulator.calls).toHaveLength(2)
    const logs = await house.context
      .sql`select status from request_logs where account_id = ${client.accountId}`
    expect(logs.map(log => log.status)).toEqual([200])
  },
)

test('a short Retry-After is waited for, a long one is passed on', async () => {
  const client = await aClient(house)
  const startedAt = Date.now()
  await client.post('/chat/completions', saying('Hi [[fault: 429;ms=1000]]'))
  expect(Date.now() - startedAt).toBeGreaterThan(900)
  expect(house.simulator.calls).toHaveLength(2)
  house.simulator.reset()
  const response = await client.post('/chat/completions', saying('Hi [[fault: 429;ms=9000]]'))
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('9')
  expect(house.simulator.calls).toHaveLength(1)
})

test('retries stay within a fifth of all requests, and a vendor that is down is left alone for a while', async () => {
  const client = await aClient(house)
  for (let request = 0; request < 5; request++) await client.post('/chat/completions', saying('Hi'))
  house.simulator.reset()
  const statuses = []
  for (let request = 0; request < 60; request++) {
    statuses.push((await client.post('/chat/completions', saying('Hi [[fault: 500]]'))).status)
  }
  // The breaker opens when most calls fail: most of the sixty never reach the vendor.
  expect(house.simulator.calls.length).toBeLessThan(25)
  expect(statuses.at(-1)).toBe(503)
  // It closes by itself: a probe is let through and succeeds.
  await new Promise(resolve => setTimeout(resolve, 1_100))
  for (let tries = 0; ; tries++) {
    const response = await client.post('/chat/completions', saying('Hi'))
    if (response.status === 200) break
    expect(tries).toBeLessThan(30)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
})

test('a model that cannot answer is answered for by its fallback: billed as that one, named in x-model', async () => {
  await house.context.sql`
    update models set data = jsonb_set(data, '{fallbacks}', '["chat.atlas-mini"]') where model = 'vendor_a/atlas'`
  await house.context.sql`
    update models set data = jsonb_set(data, '{upstream,model}', '"missing-atlas"') where model = 'vendor_a/atlas'`
  await house.context.sql`update catalogue_state set revision = revision + 1`
  await new Promise(resolve => setTimeout(resolve, 1_300))
  const client = await aClient(house)
  const response = await client.post('/chat/completions', saying('Hi'))
  expect(response.status).toBe(200)
  expect(response.headers.get('x-model')).toBe('vendor_a/atlas-mini')
  expect(await response.json()).toMatchObject({ model: 'vendor_a/atlas-mini' })
  const [log] = await house.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log).toMatchObject({ model: 'vendor_a/atlas', answered_by: 'vendor_a/atlas-mini', status: 200 })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
})
