import { afterEach, expect, test } from 'vitest'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { readTerms } from '../../domain/pricing/kept-terms.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { answerChat, aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

/** A model with prices for service tiers and cache writes, whose vendor reports a tier as each test says. */

function withTiers({ models }: Catalogue): void {
  const atlas = models.find(({ id }) => id === 'chat.atlas')
  if (atlas?.modality !== 'chat') return
  atlas.prices = {
    rates: [
      { of: 'input', price: '1 per 1M tokens' },
      { of: 'cache_write', price: '1.25 per 1M tokens' },
      { of: 'output', price: '2 per 1M tokens' },
    ],
    surcharges: [],
    service_tiers: [
      { tier: 'default', price: '100 %' },
      { tier: 'flex', price: '50 %' },
      { tier: 'priority', price: '200 %' },
    ],
  }
}

const vendor = perFile(() => aVendor(() => {}))
const system = perFile(() => anEdgeSystem({ VENDOR_A_BASE_URL: vendor.url }, { changeCatalogue: withTiers }))
afterEach(() => expectLedgerToBalance(system.context.sql))

/** Answers whole and streamed, with 10 tokens of output, in a tier. */
function answersIn(service_tier: string | undefined) {
  const usage = { prompt_tokens: 10, completion_tokens: 10 }
  const head = service_tier && { service_tier }
  vendor.answer = (response, call) => answerChat(response, call, { usage, ...(head && { head }) })
}

/** Standard price of 10 tokens in and 10 out, in nano-dollars. */
const standardNanos = 30_000n

async function paid(fields: object, creditNanos = 10n ** 9n) {
  const client = await aClient(system, { creditNanos })
  const response = await client.post('/chat/completions', { ...saying('Hi'), max_tokens: 10, ...fields })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  await expect.poll(() => logsOf(system, client)).toHaveLength(1)
  const [log] = await logsOf(system, client)
  const { credits } = await balanceOf(system.context.sql, client.accountId)
  expect(credits).toBe(creditNanos - (log?.cost_nanos ?? 0n))
  return { text, nanos: log?.cost_nanos, terms: readTerms(log?.cost_terms ?? null) }
}

test.each([false, true])('the tier that the vendor reports is charged: streamed %s', async stream => {
  for (const [asked, reported, nanos] of [
    ['priority', 'priority', 2n * standardNanos],
    ['priority', 'default', standardNanos],
    ['auto', 'priority', 2n * standardNanos],
    [undefined, 'priority', standardNanos],
    ['flex', 'scale', standardNanos],
    ['auto', 'default', standardNanos],
    ['flex', 'flex', standardNanos / 2n],
    ['priority', undefined, 2n * standardNanos],
    ['auto', undefined, standardNanos],
  ] as const) {
    answersIn(reported)
    expect(await paid({ service_tier: asked, stream }), `${asked} ${reported}`).toMatchObject({ nanos })
  }
})

test('the log names the tier', async () => {
  answersIn('priority')
  const { terms } = await paid({ service_tier: 'priority' })
  const price = { rate: '0.0000003', amount: '0.00003' }
  expect(terms?.at(-1)).toEqual({ label: 'service tier priority', quantity: 100, unit: 'percent', ...price })
})

test('the hold covers the most expensive tier that the vendor may choose, so that a small balance is enough', async () => {
  answersIn('priority')
  const { nanos } = await paid({ service_tier: 'auto' }, 70_000n)
  expect(nanos).toBeLessThanOrEqual(70_000n)
  expect(vendor.calls.at(-1)?.body).toMatchObject({ service_tier: 'auto' })
})

test('a premium for cache writes is charged for the tokens that the vendor reports, and shown', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, prompt_tokens_details: { cache_write_tokens: 4 } }
  vendor.answer = (response, call) => answerChat(response, call, { usage })
  for (const stream of [false, true]) {
    const { nanos, terms, text } = await paid({ stream })
    expect(nanos).toBe(standardNanos + 4n * 250n)
    expect(terms?.map(({ label }) => label)).toEqual(['input', 'cache_write', 'output'])
    expect(text).toContain('"cache_creation_input_tokens":4')
  }
})

test('a tier without a price is refused, and nothing is charged', async () => {
  const client = await aClient(system)
  const response = await client.post('/chat/completions', { ...saying('Hi'), service_tier: 'scale' })
  expect(response.status).toBe(400)
  expect((await response.json()).error).toMatchObject({ param: 'service_tier' })
})
