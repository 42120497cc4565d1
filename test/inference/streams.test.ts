import { request, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { aVendor, type TestVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem, type EdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import { eventsOf, readEvents } from '../responses/read-events.ts'
import { framesOf, textOf } from '../vendors/read-frames.ts'

const system = theEdgeSystem({ IDLE_TIMEOUT_MS: '500' }, { stalledReaderMs: 700 })

test('a vendor that tells no usage: the estimate is charged and marked', async () => {
  const client = await aClient(system)
  await (await stream(client, 'say 40 words [[fault: no-usage]]')).text()
  const [log] = await system.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log).toMatchObject({ usage_estimated: true, status: 200 })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
})

test('a client that stops reading is cut and still settled; the vendor is held back meanwhile', async () => {
  const client = await aClient(system)
  const outgoing = request(`${system.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.text}`, 'content-type': 'application/json' },
  })
  outgoing.on('error', () => {})
  outgoing.on('response', response => {
    response.pause()
    response.on('error', () => {})
  })
  outgoing.end(
    JSON.stringify({
      ...saying('say 100000 words', 'vendor_a/atlas-large'),
      stream: true,
      max_tokens: 120_000,
    }),
  )
  const log = await logOf(client, 15_000)
  expect(log).toMatchObject({ status: 499 })
  expect(log.cost_nanos).toBeGreaterThan(0n)
  outgoing.destroy()
})

test('headers of a stream keep proxies from holding it back', async () => {
  const client = await aClient(system)
  const response = await stream(client, 'Hi')
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('x-ratelimit-remaining-requests')).toBeTruthy()
  expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/)
})

describe('row 30: characters that the vendor cuts', () => {
  /** Two pieces with half a character each, a half that stays alone, and characters of two to eight bytes. */
  const pieces = ['Grüße ', '👋🏽', '\ud83d', '\ude00', ' 日本', ' \ud83d']
  const said = pieces.join('')
  const frameOf = (content: string) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
  const end = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`
  const bytes = Buffer.from(`${pieces.map(frameOf).join('')}${end}data: [DONE]\n\n`)

  let vendor: TestVendor
  let cut: EdgeSystem
  beforeAll(async () => {
    vendor = await aVendor(() => {})
    cut = await anEdgeSystem({ VENDOR_A_BASE_URL: vendor.url })
  })
  afterAll(async () => {
    await cut.close()
    vendor.close()
  })

  /** Sends the bytes in these parts, with a moment between two. */
  const sendIn = (parts: Buffer[]) => async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) {
      response.write(part)
      await sleep(2)
    }
    response.end()
  }

  async function expectExactly(client: TestClient) {
    const asked = { ...saying('Hi'), stream: true }
    const chat = await (await client.post('/chat/completions', asked)).text()
    expect(textOf(framesOf(chat))).toBe(said)
    expect(chat).toMatch(/data: \[DONE\]\n\n$/)
  }

  test('into single bytes are so too, on both routes', async () => {
    const client = await aClient(cut)
    vendor.answer = sendIn(Array.from(bytes, byte => Buffer.of(byte)))
    await expectExactly(client)
    const response = await client.post('/responses', { model: 'vendor_a/atlas', input: 'Hi', stream: true })
    const events = readEvents(await response.text())
    const deltas = eventsOf(events, 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(said)
    expect(eventsOf(events, 'response.output_text.done')[0]?.text).toBe(said)
  })
})

describe('a vendor that falls silent in the middle', () => {
  let silent: EdgeSystem
  beforeAll(async () => {
    silent = await anEdgeSystem({ IDLE_TIMEOUT_MS: '900' }, { limits: { keepAliveMs: 100 } })
  })
  afterAll(() => silent.close())

  test('chat is kept open with comments, which clients do not see', async () => {
    const client = await aClient(silent)
    const asked = { ...saying('say 4 words [[fault: trickle;ms=250]]'), stream: true as const }
    const text = await (await client.post('/chat/completions', asked)).text()
    const [first = '', ...later] = text.split('data: {').slice(1)
    expect(first).toMatch(/\n\n: ping\n\n/)
    expect(later.slice(0, -2).every(frame => frame.includes(': ping\n\n'))).toBe(true)
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    const { choices } = await client.openai.chat.completions.stream(asked).finalChatCompletion()
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: textOf(framesOf(text)) } })
  })

  test('a response is kept open by telling again that it is in progress', async () => {
    const client = await aClient(silent)
    const asked = { model: 'vendor_a/atlas', input: 'say 4 words [[fault: trickle;ms=250]]', stream: true }
    const events = readEvents(await (await client.post('/responses', asked)).text())
    const types = events.map(event => event.type)
    const middle = types.slice(
      types.indexOf('response.output_text.delta'),
      types.indexOf('response.output_text.done'),
    )
    expect(middle.filter(type => type === 'response.in_progress').length).toBeGreaterThanOrEqual(3)
    expect(types.at(-1)).toBe('response.completed')
  })

  const stalls = 'say 60 words [[fault: stall;n=3]]'
  test.each<[string, object, RegExp]>([
    ['/chat/completions', saying(stalls), /data: .*: ping\n\n: ping/s],
    ['/responses', { model: 'vendor_a/atlas', input: stalls }, /output_text\.delta.*response\.in_progress/s],
  ])('for too long ends %s with an error, after signs of life', async (path, body, signs) => {
    const client = await aClient(silent)
    const text = await (await client.post(path, { ...body, stream: true })).text()
    expect(text).toMatch(signs)
    expect(text).toContain('upstream_timeout')
    expect(text).not.toContain('[DONE]')
  })
})

function stream(client: TestClient, content: string): Promise<Response> {
  return client.post('/chat/completions', { ...saying(content), stream: true })
}

async function logOf({ accountId }: TestClient, waitMs = 15_000) {
  for (const until = Date.now() + waitMs; Date.now() < until; await sleep(50)) {
    const [log] = await system.context.sql`select * from request_logs where account_id = ${accountId}`
    if (log) return log
  }
  throw new Error('the request was not logged')
}
