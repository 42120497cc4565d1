import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import { logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { eventsOf, readEvents } from '../responses/read-events.ts'
import { framesOf, textOf } from '../vendors/read-frames.ts'

const system = theEdgeSystem({ IDLE_TIMEOUT_MS: '500' }, { stalledReaderMs: 700 })

test('a vendor that tells no usage: the estimate is charged and marked', async () => {
  const client = await aClient(system)
  await (await stream(client, 'say 40 words [[fault: no-usage]]')).text()
  const [log] = await logsOf(system, client)
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
  const asked = { ...saying('say 100000 words', 'vendor_a/atlas-large'), stream: true, max_tokens: 120_000 }
  outgoing.end(JSON.stringify(asked))
  await expect.poll(() => logsOf(system, client), { timeout: 15_000 }).toMatchObject([{ status: 499 }])
  expect((await logsOf(system, client))[0]?.cost_nanos).toBeGreaterThan(0n)
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

  const vendor = perFile(() =>
    aVendor(async response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const byte of bytes) {
        response.write(Buffer.of(byte))
        await sleep(2)
      }
      response.end()
    }),
  )
  const cut = perFile(() => anEdgeSystem({ VENDOR_A_BASE_URL: vendor.url }))

  test('into single bytes are so too, on both routes', async () => {
    const client = await aClient(cut)
    const chat = await (await client.post('/chat/completions', { ...saying('Hi'), stream: true })).text()
    expect(textOf(framesOf(chat))).toBe(said)
    expect(chat).toMatch(/data: \[DONE\]\n\n$/)
    const response = await client.post('/responses', { model: 'vendor_a/atlas', input: 'Hi', stream: true })
    const events = readEvents(await response.text())
    const deltas = eventsOf(events, 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(said)
    expect(eventsOf(events, 'response.output_text.done')[0]?.text).toBe(said)
  })
})

describe('a vendor that falls silent in the middle', () => {
  const silent = perFile(() => anEdgeSystem({ IDLE_TIMEOUT_MS: '900' }, { limits: { keepAliveMs: 100 } }))

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
    const [first, last] = ['delta', 'done'].map(end => types.indexOf(`response.output_text.${end}` as never))
    const middle = types.slice(first, last)
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
