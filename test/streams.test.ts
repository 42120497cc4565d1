import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aClient, saying, type TestClient } from './harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse({ IDLE_TIMEOUT_MS: '500', STALLED_READER_MS: '700' })
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

test.each(['cut;n=3', 'truncate;n=3', 'stall;n=3', 'garbage;n=3', 'error-frame;n=3'])(
  'a stream that breaks (%s) ends with an error frame, without [DONE], and costs nothing',
  async fault => {
    const client = await aClient(house)
    const text = await (await stream(client, `say 60 words [[fault: ${fault}]]`)).text()
    const frames = framesOf(text)
    expect(text).not.toContain('[DONE]')
    expect(frames.length).toBeGreaterThan(1)
    expect(frames.at(-1)).toHaveProperty('error.type', 'upstream_error')
    expect(frames.some(frame => frame.choices?.[0]?.finish_reason)).toBe(false)
    expect(await balanceOf(house.context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n,
      in_use: 0n,
    })
  },
)

test('frames torn into bytes read the same', async () => {
  const client = await aClient(house)
  const whole = framesOf(await (await stream(client, 'say 40 words')).text())
  const torn = framesOf(await (await stream(client, 'say 40 words [[fault: split;n=3]]')).text())
  expect(wordsOf(torn).length).toBeGreaterThan(0)
  expect(wordsOf(torn).split(' ').length).toBe(wordsOf(whole).split(' ').length)
})

test('a vendor that tells no usage: the estimate is charged and marked', async () => {
  const client = await aClient(house)
  await (await stream(client, 'say 40 words [[fault: no-usage]]')).text()
  const [log] = await house.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log).toMatchObject({ usage_estimated: true, status: 200 })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
})

test('a client that leaves: the vendor is hung up on, what was produced is charged', async () => {
  const client = await aClient(house)
  house.simulator.reset()
  const leaving = new AbortController()
  const response = await stream(client, 'say 500 words [[fault: trickle;ms=20]]', leaving.signal)
  const reader = response.body!.getReader()
  for (let read = 0; read < 5; read++) await reader.read()
  leaving.abort()
  const log = await logOf(client)
  expect(log).toMatchObject({ status: 499, error_code: 'client_left', usage_estimated: true })
  expect(log.cost_nanos).toBeGreaterThan(0n)
  expect(log.completion_tokens).toBeLessThan(200n)
  expect(house.simulator.calls.at(-1)?.aborted).toBe(true)
})

test('a client that leaves before the answer begins pays nothing', async () => {
  const client = await aClient(house)
  const leaving = new AbortController()
  const pending = stream(client, 'Hi [[fault: hang]]', leaving.signal).catch(() => {})
  await sleep(100)
  leaving.abort()
  await pending
  expect(await logOf(client)).toMatchObject({ status: 499, cost_nanos: 0n })
})

test('a client that stops reading is cut and still settled; the vendor is held back meanwhile', async () => {
  const client = await aClient(house)
  const outgoing = request(`${house.baseURL}/chat/completions`, {
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

test('a stream waits with its first byte for the vendor, so an early failure keeps its status', async () => {
  const client = await aClient(house)
  const response = await stream(client, 'Hi [[fault: 500]]')
  expect(response.status).toBe(502)
  expect(response.headers.get('content-type')).toContain('application/json')
})

test('headers of a stream keep proxies from holding it back', async () => {
  const client = await aClient(house)
  const response = await stream(client, 'Hi')
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('x-ratelimit-remaining-requests')).toBeTruthy()
  expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/)
})

function stream(client: TestClient, content: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${house.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.text}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...saying(content), stream: true }),
    ...(signal && { signal }),
  })
}

async function logOf({ accountId }: TestClient, waitMs = 5_000) {
  for (const until = Date.now() + waitMs; Date.now() < until; await sleep(50)) {
    const [log] = await house.context.sql`select * from request_logs where account_id = ${accountId}`
    if (log) return log
  }
  throw new Error('the request was not logged')
}

interface Frame {
  choices?: { delta: { content?: string }; finish_reason: string | null }[]
  error?: { type: string }
}

function framesOf(text: string): Frame[] {
  const data = text.split('\n').filter(line => line.startsWith('data: {'))
  return data.map(line => JSON.parse(line.slice(6)))
}

function wordsOf(frames: Frame[]): string {
  return frames.map(frame => frame.choices?.[0]?.delta.content ?? '').join('')
}
