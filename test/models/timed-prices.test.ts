import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { readTerms } from '../../domain/pricing/kept-terms.ts'
import { systemClock } from '../../platform/clock.ts'
import type { TokenPeriod } from '../../schema/catalog/prices.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

/** A model with one price now and another from two minutes later, which tests reach by moving the clock. */

const minuteMs = 60_000
const timeAt = (ms: number) => new Date(ms).toISOString().slice(11, 16)
const startedAt = Date.now()
const soon = timeAt(startedAt + 2 * minuteMs)
const later = timeAt(startedAt + 60 * minuteMs)
const aPeriod = (hours: string, input: number, output: number): TokenPeriod => ({
  hours: [hours],
  rates: Object.entries({ input, output }).map(([of, price]) => ({
    of,
    price: `${price} per 1M tokens`,
  })) as never,
})
const now = aPeriod(`${later}-${soon}`, 1, 2)
const next = aPeriod(`${soon}-${later}`, 10, 20)

function withPeriods({ models }: Catalogue): void {
  const atlas = models.find(({ id }) => id === 'chat.atlas')
  if (atlas?.modality === 'chat') atlas.prices = { rates: [], periods: [now, next], surcharges: [] }
}

const vendor = perFile(() => aVendor(() => {}))
const system = perFile(() =>
  anEdgeSystem({ VENDOR_A_BASE_URL: vendor.url }, { changeCatalogue: withPeriods }),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

const frameOf = (fields: object) => `data: ${JSON.stringify({ id: 'c', created: 1, ...fields })}\n\n`
const chunkOf = (delta: object, reason: string | null = null) =>
  frameOf({ choices: [{ index: 0, delta, finish_reason: reason }] })
const ending = `${chunkOf({}, 'stop')}${frameOf({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } })}data: [DONE]\n\n`

/** Streams an answer, and calls `between` after its first word. */
function streams(between: () => void = () => {}) {
  vendor.answer = response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunkOf({ content: 'One' }))
    between()
    response.end(chunkOf({ content: ' two' }) + ending)
  }
}

/** Moves the wall clock of all processes of this test ahead by ten minutes. */
function moveClock() {
  const clock = vi.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + 10 * minuteMs)
  onTestFinished(() => clock.mockRestore())
}

async function paidFor(client: Awaited<ReturnType<typeof aClient>>) {
  const response = await client.post('/chat/completions', { ...saying('Hi'), stream: true, max_tokens: 20 })
  expect(await response.text()).toContain('[DONE]')
  await expect.poll(() => logsOf(system, client)).toHaveLength(1)
  const [log] = await logsOf(system, client)
  return { nanos: log?.cost_nanos, terms: readTerms(log?.cost_terms ?? null)?.map(({ label }) => label) }
}

test('a stream that crosses into another period keeps the price of its admission, which the log names', async () => {
  streams(moveClock)
  expect(await paidFor(await aClient(system))).toEqual({
    nanos: 9n * 1_000n + 5n * 2_000n,
    terms: [`prices ${now.hours?.[0]} UTC`, 'input', 'output'],
  })
})

test('a request after the change has the new price, without a new catalogue', async () => {
  const { openai, ...client } = await aClient(system)
  const listed = async () => {
    const response = await fetch(`${system.baseURL}/models/vendor_a/atlas`, {
      headers: { authorization: `Bearer ${client.text}` },
    })
    return (await response.json()).pricing
  }
  expect(await listed()).toMatchObject({
    rates: [{ of: 'input', price: 1 }, { price: 2 }],
    periods: [{ hours: now.hours }, { hours: next.hours, rates: [{ price: 10 }, { price: 20 }] }],
  })
  moveClock()
  streams()
  expect((await listed()).rates).toMatchObject([{ of: 'input', price: 10 }, { price: 20 }])
  expect(await paidFor({ openai, ...client })).toEqual({
    nanos: 9n * 10_000n + 5n * 20_000n,
    terms: [`prices ${next.hours?.[0]} UTC`, 'input', 'output'],
  })
})
