import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aClient, type TestClient } from './harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse()
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

const longSystem = 'Remember the rules of the house. '.repeat(400)

async function ask(client: TestClient, fields: Record<string, unknown> = {}) {
  const messages = [
    { role: 'system', content: longSystem },
    { role: 'user', content: 'Hi' },
  ]
  const response = await client.post('/chat/completions', { model: 'vendor_a/atlas', messages, ...fields })
  const text = await response.text()
  const last = text.startsWith('{')
    ? text
    : text
        .split('\n\n')
        .at(-3)!
        .replace(/^data: /, '')
  const { usage } = JSON.parse(last)
  return { usage, cached: usage.prompt_tokens_details?.cached_tokens ?? 0 }
}

test("vendor_a: a second call reads the cache: in usage, at the cache's rate in the charge, and in its explanation", async () => {
  const client = await aClient(house)
  const first = await ask(client)
  expect(first.usage).not.toHaveProperty('prompt_tokens_details')
  const second = await ask(client)
  expect(second.cached).toBeGreaterThan(1024)
  expect(second.usage.prompt_tokens_details).toEqual({
    cached_tokens: second.cached,
    cache_read_input_tokens: second.cached,
  })
  expect((await ask(client, { stream: true })).cached).toBe(second.cached)
  const logs = await house.context.sql<
    { cached_tokens: bigint; cost_nanos: bigint; terms: { label: string }[] }[]
  >`
    select cached_tokens, cost_nanos, cost_terms::json as terms from request_logs
    where account_id = ${client.accountId} order by created_at, id`
  expect(logs.map(log => log.cached_tokens)).toEqual([0n, BigInt(second.cached), BigInt(second.cached)])
  expect(logs[1]!.cost_nanos).toBeLessThan(logs[0]!.cost_nanos)
  expect(logs[1]!.terms.map(term => term.label)).toContain('cache_read')
})

test('two accounts, and two end users of one account, never share a token, whatever they send', async () => {
  const [one, other] = [await aClient(house), await aClient(house)]
  const sent = { prompt_cache_key: 'shared', user: 'same' }
  expect((await ask(one, sent)).cached).toBe(0)
  expect((await ask(one, sent)).cached).toBeGreaterThan(0)
  expect((await ask(other, sent)).cached).toBe(0)
  expect((await ask(one, { ...sent, user: 'another' })).cached).toBe(0)
  expect((await ask(one, { ...sent, safety_identifier: 'a third' })).cached).toBe(0)
  expect((await ask(one, { ...sent, prompt_cache_key: 'narrower' })).cached).toBe(0)
  expect((await ask(one, sent)).cached).toBeGreaterThan(0)
})
