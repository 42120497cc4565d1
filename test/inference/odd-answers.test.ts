import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { answerChat, answerJson, asksForStream, aVendor } from '../harness/a-vendor.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

/** vendor_a, answering byte for byte as each test says. */

const vendor = perFile(() => aVendor(answerChat))
const system = perFile(() => aByokSystem({ VENDOR_A_BASE_URL: vendor.url }))
// Answers between the failures: those alone would open the breaker of the platform's credential.
beforeEach(async () => {
  vendor.answer = answerChat
  const client = await aClient(system)
  for (let good = 0; good < 6; good++) await client.post('/chat/completions', saying('Hi'))
})
afterEach(() => expectLedgerToBalance(system.context.sql))

/** Asks on both routes, whole and streamed, one after the other. */
async function askEveryWay(client: TestClient) {
  const responses = []
  for (const stream of [false, true]) {
    responses.push(await client.post('/chat/completions', { ...saying('Hi'), stream }))
    responses.push(await client.post('/responses', { model: 'vendor_a/atlas', input: 'Hi', stream }))
  }
  return responses
}

const someCost = 9n * 1_250n + 3n * 10_000n

describe('what the client sees is charged, though it is no text', () => {
  const call = { index: 0, id: 'call_1' }
  const shown: [string, object | object[]][] = [
    ['a call', { tool_calls: [{ ...call, type: 'function', function: { name: 'now', arguments: '{}' } }] }],
    ['thoughts', { reasoning_content: 'Hm, let me see.' }],
    ['a refusal', { refusal: 'I will not.' }],
  ]
  test.each(shown)('%s', async (_, spoken) => {
    vendor.answer = (response, asked) => answerChat(response, asked, { says: spoken })
    const client = await aClient(system)
    for (const stream of [false, true]) {
      const response = await client.post('/chat/completions', { ...saying('Hi'), stream })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain(JSON.stringify(spoken).slice(1, -1))
    }
    const charged = { status: 200, cost_nanos: someCost }
    expect(await logsOf(system, client)).toMatchObject([charged, charged])
  })

  const says = { role: 'assistant', content: '' }

  test('an empty text with counted output is an answer: what a stop sequence cut away says yes or no', async () => {
    vendor.answer = (response, asked) => answerChat(response, asked, { says })
    const client = await aClient(system)
    for (const response of await askEveryWay(client)) expect(response.status).toBe(200)
    expect((await logsOf(system, client)).map(log => log.cost_nanos)).toEqual(Array(4).fill(someCost))
  })

  test.each([
    ['no output counted', { prompt_tokens: 9, completion_tokens: 0 }],
    ['nothing counted', null],
  ])('an answer with nothing in it and %s is not', async (_, usage) => {
    vendor.answer = (response, asked) => answerChat(response, asked, { says, usage })
    const client = await aClient(system)
    for (const response of await askEveryWay(client)) expect(response.status).toBe(200)
    expect((await logsOf(system, client)).map(log => log.cost_nanos)).toEqual([0n, 0n, 0n, 0n])
  })

  test.each<[string, object]>([
    ['of nothing', { prompt_tokens: 0, completion_tokens: 0 }],
    ['of no output', { prompt_tokens: 5, completion_tokens: 0 }],
    ['that is no number', { prompt_tokens: 'nine', completion_tokens: 3 }],
    ['of parts of a token', { prompt_tokens: 5, completion_tokens: 0.5 }],
    ['below nothing', { prompt_tokens: 5, completion_tokens: -100 }],
    ['of more than the model can say', { prompt_tokens: 5, completion_tokens: 1_000_000 }],
    ['of more than the model can read', { prompt_tokens: 1e15, completion_tokens: 10 }],
    ['beyond all numbers', { prompt_tokens: 5, completion_tokens: 1e300 }],
  ])('an answer with a usage %s is charged by an estimate', async (_, usage) => {
    const content = 'The quick brown fox jumps over the lazy dog.' // 10 tokens
    vendor.answer = (response, asked) => answerChat(response, asked, { says: { content }, usage })
    const client = await aClient(system)
    for (const response of await askEveryWay(client)) {
      expect(response.status).toBe(200)
      await response.text()
    }
    for (const log of await logsOf(system, client)) {
      expect(log).toMatchObject({ usage_estimated: true, completion_tokens: 10n })
      expect(log.cost_nanos).toBe(log.prompt_tokens * 1_250n + 10n * 10_000n)
      expect(log.prompt_tokens).toBeLessThan(12n)
    }
  })

  test('one that reached its limit before it said anything is', async () => {
    vendor.answer = (response, asked) => answerChat(response, asked, { says, finish: 'length' })
    const client = await aClient(system)
    await askEveryWay(client)
    expect((await logsOf(system, client)).every(log => log.cost_nanos > 0n)).toBe(true)
  })

  test('without usage it is measured, whole as much as streamed', async () => {
    const spoken = { content: 'The quick brown fox jumps over the lazy dog. '.repeat(10) }
    vendor.answer = (response, asked) => answerChat(response, asked, { says: spoken, usage: null })
    const client = await aClient(system)
    for (const response of await askEveryWay(client)) await response.text()
    const told = (await logsOf(system, client)).map(log => [log.usage_estimated, log.completion_tokens])
    expect(told).toEqual(Array.from({ length: 4 }, () => [true, 101n]))
  })
})

test('a body that is no answer is a failure of the vendor, and free', async () => {
  const none = { choices: [null] }
  vendor.answer = (response, call) => {
    if (!asksForStream(call)) return answerJson(response, 200, none)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify(none)}\n\ndata: [DONE]\n\n`)
  }
  const client = await aClient(system)
  for (const response of await askEveryWay(client)) {
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } })
  }
  expect((await balanceOf(system.context.sql, client.accountId)).credits).toBe(100_000_000_000n)
  expect((await logsOf(system, client)).map(log => log.cost_nanos)).toEqual([0n, 0n, 0n, 0n])
})

describe("a vendor that repeats the secrets of a customer's credential", () => {
  const secret = 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY'
  const config = { region: 'us-east-1', secret_access_key: secret }
  const bedrock = { provider: 'vendor_b' as const, apiKey: undefined, alwaysUse: true, config }

  test('is not repeated by us: neither to the client nor in last_error', async () => {
    vendor.answer = (response, { key }) => answerJson(response, 401, { message: `unknown bearer "${key}"` })
    const client = await aClient(system)
    const { id } = await system.aCredential(client, 'own', { ...bedrock, baseUrl: vendor.url })
    for (const stream of [false, true]) {
      const response = await client.post('/chat/completions', { ...saying('Hi', 'vendor_b/lyric'), stream })
      expect(response.status).toBe(502)
      const { error } = await response.json()
      expect(error.message).toBe('The vendor answered your own credential: unknown bearer "***"')
    }
    expect(vendor.calls.at(-1)?.key).toBe(secret)
    expect((await system.rowOf(id)).last_error).toBe('401: unknown bearer "***"')
  })
})
