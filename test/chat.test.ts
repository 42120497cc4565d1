import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { anAccount, anApiKey } from './harness/an-account.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse()
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

async function aClient(options: { creditNanos?: bigint } = {}) {
  const { accountId } = await anAccount(house.context, options)
  const key = await anApiKey(house.context, { accountId })
  return { accountId, key, openai: new OpenAI({ apiKey: key.text, baseURL: house.baseURL, maxRetries: 0 }) }
}

test('the OpenAI SDK gets a whole completion: charged, logged, nothing held afterwards', async () => {
  const { openai, accountId } = await aClient()
  const { data: completion, response } = await openai.chat.completions
    .create({ model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hello there' }] })
    .withResponse()
  expect(completion.model).toBe('vendor_a/atlas')
  expect(completion.choices[0]?.message.content).toBeTruthy()
  const [log] = await house.context.sql`select * from request_logs where account_id = ${accountId}`
  expect(log).toMatchObject({
    id: response.headers.get('x-request-id'),
    status: 200,
    streamed: false,
    prompt_tokens: BigInt(completion.usage!.prompt_tokens),
    completion_tokens: BigInt(completion.usage!.completion_tokens),
    usage_estimated: false,
  })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
  const balance = await balanceOf(house.context.sql, accountId)
  expect(balance).toMatchObject({ credits: 100_000_000_000n - log?.cost_nanos, in_use: 0n })
})

test('the OpenAI SDK streams: usage rides on the last chunk, or on one of its own where it was asked for', async () => {
  const { openai, accountId } = await aClient()
  for (const include of [false, true]) {
    const stream = await openai.chat.completions.create({
      model: 'vendor_a/atlas',
      messages: [{ role: 'user', content: 'Tell me a story' }],
      stream: true,
      ...(include && { stream_options: { include_usage: true } }),
    })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    const last = chunks.at(-1)!
    expect(last.usage?.total_tokens).toBeGreaterThan(0)
    expect(last.choices).toHaveLength(include ? 0 : 1)
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')).not.toBe('')
  }
  const logs = await house.context.sql`select * from request_logs where account_id = ${accountId}`
  expect(logs.map(log => ({ streamed: log.streamed, status: log.status }))).toEqual([
    { streamed: true, status: 200 },
    { streamed: true, status: 200 },
  ])
})
