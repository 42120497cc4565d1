import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { aSettingsFile } from '../harness/a-context.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const pricesOf = (input: string, output: string) => ({
  rates: [
    { of: 'input' as const, price: `${input} per 1M tokens` },
    { of: 'output' as const, price: `${output} per 1M tokens` },
  ],
  surcharges: [],
})

/** Adds a route to vendor_g, whose calls the simulator answers in the format of vendor_a. */
function addRoutes({ models }: Catalogue): void {
  const cheap = pricesOf('0.10', '0.20')
  for (const entry of models) {
    if (entry.modality !== 'chat' || entry.provider !== 'vendor_a') continue
    const upstream = { model: entry.upstream.model, adapter: 'openai-chat' as const }
    const isExpensive = entry.model === 'vendor_a/atlas-nano'
    entry.routes = [{ vendor: 'vendor_g', upstream, prices: isExpensive ? pricesOf('500', '900') : cheap }]
    if (entry.model === 'vendor_a/atlas') entry.route_by = 'price'
    if (entry.model === 'vendor_a/atlas-mini') entry.upstream.model += '@503'
    if (entry.model === 'vendor_a/atlas-thinker') {
      entry.upstream.model += '@500'
      entry.route_by = 'health'
    }
  }
}

const system = perFile(() => anEdgeSystem({}, { changeCatalogue: addRoutes }))
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

async function logOf(client: TestClient) {
  const [log] = await logsOf(system, client)
  const { sql } = system.context
  const [{ attempts }] = await sql<[{ attempts: object[] }]>`
    select attempts::json as attempts from request_logs where account_id = ${client.accountId}`
  return { log: log!, attempts }
}

/** The cost of a log row at vendor_g's prices. */
function costAt(log: Record<string, number>) {
  return BigInt(log.prompt_tokens ?? 0) * 100n + BigInt(log.completion_tokens ?? 0) * 200n
}

test.each([false, true])(
  'the cheaper vendor serves at its own price, and the log says why (stream: %s)',
  async stream => {
    const client = await aClient(system)
    const response = await client.post('/chat/completions', { ...saying('Hi'), stream, max_tokens: 50 })
    expect([response.status, response.headers.get('x-model')]).toEqual([200, 'vendor_a/atlas'])
    await response.text()
    const { log, attempts } = await logOf(client)
    expect(log).toMatchObject({ vendor: 'vendor_g', answered_by: null, cost_nanos: costAt(log) })
    expect(attempts).toMatchObject([
      {
        vendor: 'vendor_g',
        reason: expect.stringMatching(/^price: vendor_g \$0\.0000\d+, vendor_a \$0\.000\d+$/),
      },
    ])
  },
)

test('if the first vendor fails, the next one serves the same model at its own price', async () => {
  const client = await aClient(system)
  const response = await client.post('/chat/completions', saying('Hi', 'vendor_a/atlas-mini'))
  expect(await response.json()).toMatchObject({ model: 'vendor_a/atlas-mini' })
  const { log, attempts } = await logOf(client)
  expect(log).toMatchObject({ vendor: 'vendor_g', answered_by: null, cost_nanos: costAt(log) })
  expect(attempts.at(0)).toMatchObject({ vendor: 'vendor_a', status: 503, reason: 'catalogue' })
  expect(attempts.at(-1)).toMatchObject({ vendor: 'vendor_g', status: 200, reason: null })
})

test('a stream that its vendor breaks off is charged for its part at the price of that vendor; no other is called', async () => {
  const client = await aClient(system)
  const content = 'say 60 words [[fault: cut;n=5]]'
  const response = await client.post('/chat/completions', {
    ...saying(content),
    stream: true,
    max_tokens: 90,
  })
  expect(await response.text()).toContain('"error"')
  expect(system.simulator.calls).toHaveLength(1)
  await vi.waitFor(async () => expect((await logsOf(system, client)).length).toBe(1), { timeout: 5_000 })
  const { log } = await logOf(client)
  expect(log).toMatchObject({ vendor: 'vendor_g', usage_estimated: true, cost_nanos: costAt(log) })
  expect(log.cost_nanos).toBeGreaterThan(0n)
})

test('by health, a vendor whose calls fail comes last once it is measured', async () => {
  const client = await aClient(system)
  const callsOfNext = async () => {
    system.simulator.reset()
    const response = await client.post('/chat/completions', saying('Hi', 'vendor_a/atlas-thinker'))
    expect(response.status).toBe(200)
    return system.simulator.calls.map(({ body }) =>
      String(Reflect.get(body as object, 'model')).includes('@500'),
    )
  }
  const failed = []
  for (let request = 0; request < 12; request++) failed.push((await callsOfNext()).includes(true))
  expect([failed[0], failed.at(-1)]).toEqual([true, false])
})

test('by health, calls that the limits of a credential prevent do not count', async () => {
  const pool = [{ name: 'slow', api_key: 'sim-slow', requests_per_minute: 1 }]
  const limited = await anEdgeSystem(
    { VENDOR_A_API_KEY: '', VENDOR_CREDENTIALS_FILE: aSettingsFile({ vendor_a: pool }) },
    {
      changeCatalogue(catalogue) {
        addRoutes(catalogue)
        for (const entry of catalogue.models)
          if (entry.modality === 'chat' && entry.model === 'vendor_a/atlas') entry.route_by = 'health'
      },
    },
  )
  try {
    const client = await aClient(limited)
    for (let request = 0; request < 8; request++)
      expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
    const reasons = await limited.context.sql<{ reason: string }[]>`
      select attempts::json -> 0 ->> 'reason' as reason from request_logs
      where account_id = ${client.accountId} order by created_at`
    expect(reasons.at(-1)?.reason).toBe('health: vendor_a 0 ms, vendor_g 1000 ms')
  } finally {
    await limited.close()
  }
})

test('the hold covers the most expensive vendor that is left, before any is called', async () => {
  const client = await aClient(system, { creditNanos: 2_000_000n })
  const ask = (fields: object, headers = {}) => {
    const body = { ...saying('Hi', 'vendor_a/atlas-nano'), max_tokens: 30, ...fields }
    return client.post('/chat/completions', body, headers)
  }
  const refused = await ask({})
  expect([refused.status, system.simulator.calls.length]).toEqual([402, 0])
  expect((await ask({ provider: { ignore: ['vendor_g'] } })).status).toBe(200)
  expect((await ask({}, { 'x-no-fallback': 'true' })).status).toBe(200)
  expect((await ask({ provider: { allow_fallbacks: false } })).status).toBe(200)
})

test('a key that may call one vendor of a model lists the model, calls that vendor alone, and counts its tokens', async () => {
  const client = await aClient(system, { allowedVendors: ['vendor_g'] })
  const listed: string[] = []
  for await (const { id } of client.openai.models.list()) listed.push(id)
  expect(listed).toContain('vendor_a/atlas-mini')
  expect(listed.filter(id => !id.startsWith('vendor_a/') && !id.startsWith('vendor_g/'))).toEqual([])
  const body = { ...saying('Hi', 'vendor_a/atlas-mini'), max_tokens: 20 }
  for (const path of ['/chat/completions', '/messages', '/messages/count_tokens'])
    expect([path, (await client.post(path, body)).status]).toEqual([path, 200])
  expect(new Set((await logsOf(system, client)).map(log => log.vendor))).toEqual(new Set(['vendor_g']))
})

test('a request can order vendors by their throughput, which is measured from whole answers', async () => {
  const client = await aClient(system)
  const provider = { sort: 'throughput' }
  const ask = async (stream: boolean) => {
    const body = { ...saying('say 20 words'), provider, stream, max_tokens: 60 }
    expect(await (await client.post('/chat/completions', body)).text()).not.toContain('"error"')
  }
  for (let request = 0; request < 12; request++) await ask(request % 2 === 0)
  const { sql } = system.context
  const [{ reason }] = await sql<[{ reason: string }]>`
    select attempts::json -> 0 ->> 'reason' as reason from request_logs
    where account_id = ${client.accountId} order by created_at desc limit 1`
  expect(reason).toMatch(/^throughput: vendor_\w [1-9]\d* ms per 1000 tokens, vendor_\w [1-9]\d* ms/)
})

test('the hold leaves out a vendor that no credential reaches', async () => {
  const alone = forThisTest(await anEdgeSystem({ VENDOR_G_API_KEY: '' }, { changeCatalogue: addRoutes }))
  const client = await aClient(alone, { creditNanos: 2_000_000n })
  const body = { ...saying('Hi', 'vendor_a/atlas-nano'), max_tokens: 30 }
  expect((await client.post('/chat/completions', body)).status).toBe(200)
})

test('a model is listed and served if any of its vendors is reached', async () => {
  const alone = forThisTest(await anEdgeSystem({ VENDOR_A_API_KEY: '' }, { changeCatalogue: addRoutes }))
  const client = await aClient(alone)
  const { data } = await client.openai.models.list()
  expect(data.some(({ id }) => id === 'vendor_a/atlas-mini')).toBe(true)
  const ask = async (fields: object, headers = {}) =>
    (await client.post('/chat/completions', { ...saying('Hi', 'vendor_a/atlas-mini'), ...fields }, headers))
      .status
  expect(await ask({})).toBe(200)
  expect(await ask({ provider: { allow_fallbacks: false } })).toBe(200)
  expect(await ask({}, { 'x-no-fallback': 'true' })).toBe(200)
})
