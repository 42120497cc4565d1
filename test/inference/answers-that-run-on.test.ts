import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { readTerms } from '../../domain/pricing/kept-terms.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { answerChat, aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { framesOf, textOf } from '../vendors/read-frames.ts'

/** vendor_a, streaming as each test says. */

const vendor = perFile(() => aVendor(() => {}))
const system = perFile(() =>
  anEdgeSystem({ VENDOR_A_BASE_URL: vendor.url, TOTAL_TIMEOUT_MS: '1500', IDLE_TIMEOUT_MS: '700' }),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

/** Prices of vendor_a/atlas-nano, in nano-dollars a token; a stream of it is held for 2,048 tokens at first. */
const nano = { model: 'vendor_a/atlas-nano', inputNanos: 50n, outputNanos: 400n }

const frameOf = (fields: object) => `data: ${JSON.stringify({ id: 'c', created: 1, ...fields })}\n\n`
const chunkOf = (delta: object, ending: string | null = null) =>
  frameOf({ choices: [{ index: 0, delta, finish_reason: ending }] })
const finish = chunkOf({}, 'stop')
const usageOf = (completion_tokens: number) =>
  frameOf({ choices: [], usage: { prompt_tokens: 9, completion_tokens } })
/** A token each. */
const word = chunkOf({ content: ' word' })

/** Streams `words` words with short pauses, then calls `then`. */
function says(words: number, then: (response: ServerResponse) => unknown, { every = 100, ms = 1 } = {}) {
  vendor.answer = async response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let said = 0; said < words && !response.destroyed; said += every) {
      response.write(word.repeat(Math.min(every, words - said)))
      await sleep(ms)
    }
    await then(response)
  }
}

/** Sends the same text until the response is closed. */
async function goOn(response: ServerResponse, text: string, everyMs: number) {
  for (; !response.destroyed; await sleep(everyMs)) response.write(text)
}

async function streamed(client: TestClient, more: object = {}, headers: Record<string, string> = {}) {
  const asked = { ...saying('Hi', nano.model), stream: true, ...more }
  const response = await client.post('/chat/completions', asked, headers)
  const text = await response.text()
  const frames = framesOf(text)
  return {
    text,
    headers: response.headers,
    words: textOf(frames).split(' ').length - 1,
    finish: frames.findLast(frame => frame.choices?.[0]?.finish_reason)?.choices?.[0]?.finish_reason,
  }
}

async function logOf(client: TestClient) {
  await expect.poll(() => logsOf(system, client)).toHaveLength(1)
  const [log] = await logsOf(system, client)
  return log!
}

describe('an answer that was delivered is paid', () => {
  test.each<[string, string, (response: ServerResponse) => unknown]>([
    ['our own time limit', 'upstream_timeout', response => goOn(response, word, 20)],
    ['a reset', 'upstream_error', response => void response.destroy()],
    ['an error', 'upstream_error', response => response.end(frameOf({ error: { message: 'No more.' } }))],
    ['silence', 'upstream_timeout', () => {}],
  ])('though %s breaks it off', async (_, code, then) => {
    says(200, then)
    const client = await aClient(system)
    const { text, words } = await streamed(client)
    expect(text).toContain(code)
    expect(text).toContain('The produced part is charged.')
    expect(text).not.toContain('[DONE]')
    const log = await logOf(client)
    expect(log).toMatchObject({ error_code: code, usage_estimated: true, completion_tokens: BigInt(words) })
    expect(log.cost_nanos).toBe(log.prompt_tokens * nano.inputNanos + BigInt(words) * nano.outputNanos)
  })

  test('and costs nothing where nothing of it was', async () => {
    says(0, response => void response.destroy())
    const client = await aClient(system)
    await streamed(client)
    expect(await logOf(client)).toMatchObject({ status: 502, cost_nanos: 0n })
  })

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['a reset', response => void response.destroy()],
    ['silence on an open connection', () => {}],
    ['[DONE] on an open connection', response => void response.write('data: [DONE]\n\n')],
    ['more and more words', response => goOn(response, word.repeat(100), 1)],
  ])('once, by its usage, though %s follows it', async (_, then) => {
    says(20, async response => {
      response.write(finish + usageOf(21))
      await sleep(5)
      await then(response)
    })
    const client = await aClient(system)
    const answer = await streamed(client)
    expect(answer).toMatchObject({ words: 20, finish: 'stop' })
    expect(answer.text).toMatch(/data: \[DONE\]\n\n$/)
    expect(await logOf(client)).toMatchObject({ status: 200, usage_estimated: false, completion_tokens: 21n })
  })

  test('once under an Idempotency-Key: what broke off after it was charged does not run again', async () => {
    says(50, response => void response.destroy())
    const client = await aClient(system)
    const before = vendor.calls.length
    const headers = { 'idempotency-key': 'broken' }
    const first = await streamed(client, {}, headers)
    const second = await streamed(client, {}, headers)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.text).toBe(first.text)
    expect(vendor.calls).toHaveLength(before + 1)
    expect((await logOf(client)).cost_nanos).toBeGreaterThan(0n)
  })
})

const long = 'x'.repeat(5 << 20)
test.each([false, true])(
  'an answer that is too long to be kept under an Idempotency-Key is delivered and charged once, and not told again (stream: %s)',
  async stream => {
    vendor.answer = (response, call) => {
      const usage = { prompt_tokens: 9, completion_tokens: 8_000 }
      const padding = 'x'.repeat(2_048)
      const parts = stream
        ? Array.from({ length: 2_600 }, () => ({ content: ' word', padding }))
        : { content: 'Yes.', padding: long }
      answerChat(response, call, { says: parts, usage })
    }
    const client = await aClient(system)
    const before = vendor.calls.length
    const asked = { ...saying('Hi', nano.model), stream }
    const headers = { 'idempotency-key': `long ${stream}` }
    const first = await client.post('/chat/completions', asked, headers)
    expect((await first.text()).length).toBeGreaterThan(long.length)
    const again = await client.post('/chat/completions', asked, headers)
    expect(again.status).toBe(422)
    expect(await again.json()).toMatchObject({ error: { code: 'answer_not_kept' } })
    expect(vendor.calls).toHaveLength(before + 1)
    expect((await logOf(client)).cost_nanos).toBe(9n * nano.inputNanos + 8_000n * nano.outputNanos)
  },
)

test('an answer beyond what the account may keep in a day is delivered and not kept', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 250 }
  vendor.answer = (response, call) =>
    answerChat(response, call, { says: { content: 'x'.repeat(1_000) }, usage })
  const client = await aClient(system)
  const { accountId } = client
  await changeAllowance(system.context, { accountId, resource: 'kept_answer_bytes', limit: 1_800 })
  const statusOf = async (key: string) =>
    (await client.post('/chat/completions', saying('Hi', nano.model), { 'idempotency-key': key })).status
  for (const [key, again] of [
    ['first', 200],
    ['second', 422],
  ] as const)
    expect([await statusOf(key), await statusOf(key)]).toEqual([200, again])
})

describe('an answer is no longer than what is held for it', () => {
  const end = (tokens: number) => (response: ServerResponse) =>
    response.end(`${finish}${usageOf(tokens)}data: [DONE]\n\n`)

  test.each([
    ['', word],
    [', thinking aloud,', chunkOf({ reasoning_content: ' word' })],
  ])('where a vendor passes max_tokens%s it is hung up on', async (_, chunk) => {
    let sent = 0
    vendor.answer = async response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (; sent < 1_536 && !response.destroyed; sent++) {
        response.write(chunk)
        await sleep(1)
      }
      response.end()
    }
    const client = await aClient(system)
    const answer = await streamed(client, { max_tokens: 50 })
    expect(answer.finish).toBe('length')
    expect(answer.text).toMatch(/data: \[DONE\]\n\n$/)
    const chunks = answer.text.split(' word').length - 1
    expect(chunks).toBeGreaterThanOrEqual(50)
    expect(chunks).toBeLessThan(110)
    await expect.poll(() => sent).toBeLessThan(1_000)
    const log = await logOf(client)
    expect(log.completion_tokens).toBe(50n)
    expect(log.cost_nanos).toBe(log.prompt_tokens * nano.inputNanos + 50n * nano.outputNanos)
  })

  test('no vendor is believed that counts more than it may say', async () => {
    says(50, end(1_000_000))
    const client = await aClient(system, { creditNanos: 10_000_000n })
    await streamed(client, { max_tokens: 50 })
    const log = await logOf(client)
    expect(log).toMatchObject({ usage_estimated: true, completion_tokens: 50n })
  })

  test('more than it said is charged up to what was held, and the terms add up to that', async () => {
    says(50, end(900))
    const client = await aClient(system)
    await streamed(client, { max_tokens: 50 })
    const log = await logOf(client)
    expect(log).toMatchObject({ usage_estimated: false, completion_tokens: 900n })
    expect(log.cost_nanos).toBeLessThan(50n * nano.outputNanos + 200n * nano.inputNanos)
    const terms = readTerms(log.cost_terms)
    const sumNanos = terms?.reduce((sum, { amount }) => sum + Number(amount) * 1e9, 0)
    expect(sumNanos).toBeCloseTo(Number(log.cost_nanos), 3)
  })

  test('without max_tokens it grows, and nobody is cut at a typical length', async () => {
    says(7_000, end(7_000))
    const client = await aClient(system)
    expect(await streamed(client)).toMatchObject({ words: 7_000, finish: 'stop' })
    expect(await logOf(client)).toMatchObject({
      usage_estimated: false,
      cost_nanos: 9n * nano.inputNanos + 7_000n * nano.outputNanos,
    })
    expect(vendor.calls.at(-1)?.body).toMatchObject({ max_tokens: 8_192 })
  })

  test('where there is no more money it ends with `length`, at what there was', async () => {
    says(8_000, end(8_000), { every: 50, ms: 2 })
    const creditNanos = 1_200_000n // for about 3,000 tokens
    const client = await aClient(system, { creditNanos })
    const answer = await streamed(client)
    expect(answer.finish).toBe('length')
    expect(answer.text).toMatch(/data: \[DONE\]\n\n$/)
    expect(answer.words).toBeGreaterThan(2_600)
    expect(answer.words).toBeLessThan(3_400)
    const { credits } = await balanceOf(system.context.sql, client.accountId)
    expect(credits).toBeGreaterThanOrEqual(0n)
    expect(credits).toBeLessThan(creditNanos / 10n)
  })
})
