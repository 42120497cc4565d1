import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

// Calls of vendor_a's models fail; vendor_b and vendor_c answer.
const system = perFile(() =>
  anEdgeSystem(
    {},
    {
      changeCatalogue({ models }) {
        for (const entry of models) if (entry.model === 'vendor_a/atlas-nano') entry.upstream.model += '@503'
      },
    },
  ),
)
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

const failing = 'vendor_a/atlas-nano'
const preferences = { models: ['vendor_c/prism-flash', 'vendor_b/lyric'], provider: { ignore: ['vendor_c'] } }

describe.each([
  ['/chat/completions', saying('Hi', failing)],
  ['/messages', { ...saying('Hi', failing), max_tokens: 50 }],
  ['/responses', { model: failing, input: 'Hi' }],
])('%s', (path, body) => {
  test('a request names the models that follow; its answer and log name the one that served', async () => {
    const client = await aClient(system)
    const response = await client.post(path, { ...body, ...preferences, usage: { include: true } })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ model: 'vendor_b/lyric' })
    expect(await logsOf(system, client)).toMatchObject([
      { model: failing, answered_by: 'vendor_b/lyric', vendor: 'vendor_b' },
    ])
    const sent = JSON.stringify(system.simulator.calls.map(call => call.body))
    expect(sent).not.toMatch(/prism|provider|"models"|"usage"/)
  })

  test('what cannot be honoured is a 400 before any vendor is called', async () => {
    const client = await aClient(system)
    const response = await client.post(path, { ...body, provider: { max_price: { prompt: 0.01 } } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'provider.max_price' } })
    expect(system.simulator.calls).toEqual([])
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: 0n })
  })
})

test('x-no-fallback tries the requested model alone', async () => {
  const client = await aClient(system)
  const headers = { 'x-no-fallback': 'true' }
  const response = await client.post(
    '/chat/completions',
    { ...saying('Hi', failing), ...preferences },
    headers,
  )
  expect(response.status).toBe(503)
  expect(new Set(system.simulator.calls.map(({ path }) => path))).toEqual(
    new Set(['/openai/v1/chat/completions']),
  )
})

test('the hold covers the most expensive model that is left: too little for it is a 402 before any call', async () => {
  // Pays for a short answer of vendor_a/atlas-nano ($0.40 per million), not of vendor_b/lyric-grand ($25).
  const client = await aClient(system, { creditNanos: 200_000n })
  const ask = (fields: object) =>
    client.post('/chat/completions', { ...saying('Hi', 'vendor_a/atlas-mini'), max_tokens: 30, ...fields })
  const refused = await ask({ models: ['vendor_b/lyric-grand'] })
  expect([refused.status, system.simulator.calls.length]).toEqual([402, 0])
  const models = ['vendor_b/lyric-grand', 'vendor_c/prism-lite']
  expect((await ask({ models, provider: { max_price: { completion: 5 } } })).status).toBe(200)
})

test('the charge is that of the model that served', async () => {
  const client = await aClient(system)
  await client.post('/chat/completions', { ...saying('Hi', failing), models: ['vendor_b/lyric-grand'] })
  const [log] = await logsOf(system, client)
  const { prompt_tokens: prompt, completion_tokens: completion, cost_nanos: cost } = log!
  expect(cost).toBe(BigInt(prompt) * 5_000n + BigInt(completion) * 25_000n)
})
