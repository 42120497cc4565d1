import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'

const system = theEdgeSystem(
  { IDLE_TIMEOUT_MS: '500', FIRST_BYTE_TIMEOUT_MS: '1500' },
  { keepAliveMs: 1_000 },
)
const model = 'vendor_a/atlas'
const hi = { model, max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] }

/** A raw POST with these headers and no others. */
function post(path: string, body: unknown, headers: Record<string, string>) {
  return fetch(`${system.edge.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const ways: [string, (key: string) => Record<string, string>][] = [
  ['a bearer', key => ({ authorization: `Bearer ${key}` })],
  ['x-api-key', key => ({ 'x-api-key': key })],
  ['both, as an agent sends them', key => ({ authorization: `Bearer ${key}`, 'x-api-key': key })],
  ['a bearer beside an empty x-api-key', key => ({ authorization: `Bearer ${key}`, 'x-api-key': '' })],
]
test.each(ways)(
  'a key is accepted as %s, in every version, with unknown betas and fields',
  async (_, headersOf) => {
    const { text } = await aClient(system)
    for (const version of ['2023-06-01', '2026-10-21']) {
      const named = { 'anthropic-version': version, 'anthropic-beta': 'unknown-2027-01-01' }
      const headers = { ...headersOf(text), ...named }
      const unknown = { context_management: { edits: [] }, unknown_field: { a: 1 }, top_k: 4 }
      const body = { ...hi, thinking: { type: 'adaptive' }, ...unknown }
      const answer = await post('/v1/messages?beta=true', body, headers)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'))
      expect(await answer.json()).toMatchObject({ type: 'message', content: [{ type: 'text' }] })
    }
  },
)

const wrong: [string, (key: string, other: string) => Record<string, string>][] = [
  ['no key', () => ({})],
  ['two keys that differ', (key, other) => ({ authorization: `Bearer ${key}`, 'x-api-key': other })],
  ['an unknown key', () => ({ 'x-api-key': 'sk-ant-api03-none' })],
  ['another content type', key => ({ 'x-api-key': key, 'content-type': 'text/plain' })],
]
test.each(wrong)('%s is a 401 that clients of both shapes read', async (_, headersOf) => {
  const [one, other] = [await aClient(system), await aClient(system)]
  for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
    const answer = await post(path, hi, headersOf(one.text, other.text))
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    const message = 'You do not have access permissions'
    const error = { type: 'authentication_error', message, code: 'no_access', param: null }
    const request_id = answer.headers.get('request-id')
    expect(await answer.json()).toEqual({ type: 'error', error, request_id, code: 401, msg: message })
  }
})

test('x-api-key is no key to the other protocols', async () => {
  const { text } = await aClient(system)
  const answer = await post('/v1/chat/completions', hi, { 'x-api-key': text })
  expect(await answer.json()).toEqual({ code: 401, msg: 'You do not have access permissions' })
})

test('HEAD / is harmless', async () => {
  const answer = await fetch(system.edge.url, { method: 'HEAD' })
  expect(answer.status).toBe(404)
})

test('a 402 is not to be retried; a request under an Idempotency-Key is charged once', async () => {
  const poor = await aClient(system, { creditNanos: 10n })
  const refused = await post('/v1/messages', hi, { 'x-api-key': poor.text })
  expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([402, 'false'])

  const client = await aClient(system)
  const headers = { 'x-api-key': client.text, 'idempotency-key': 'once' }
  const first = await (await post('/v1/messages', hi, headers)).json()
  const again = await post('/v1/messages', hi, headers)
  expect(await again.json()).toEqual(first)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await logsOf(system, client)).toHaveLength(1)
})

test.each(['cut;n=3', 'truncate;n=3', 'stall;n=3', 'garbage;n=3', 'error-frame;n=3'])(
  'a stream that breaks (%s) ends in an error event, without message_stop',
  async fault => {
    const client = await aClient(system)
    const messages = [{ role: 'user', content: `say 60 words [[fault: ${fault}]]` }]
    const body = { ...hi, max_tokens: 500, messages, stream: true }
    const answer = await post('/v1/messages', body, keyOf(client))
    const names = [...(await answer.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    expect(names[0]).toBe('message_start')
    expect(names.at(-1)).toBe('error')
    expect(names).not.toContain('message_stop')
    expect((await logsOf(system, client))[0]?.status).toBeGreaterThanOrEqual(500)
  },
)

test('a vendor that never begins: the stream, opened meanwhile, is kept alive with pings', async () => {
  const client = await aClient(system)
  const messages = [{ role: 'user', content: 'Hi [[fault: hang]]' }]
  const answer = await post('/v1/messages', { ...hi, messages, stream: true }, keyOf(client))
  const names = [...(await answer.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
  expect(names).toEqual(['message_start', 'ping', 'error'])
})

test('thinking is fitted to what each model knows', async () => {
  const client = await aClient(system)
  const sentTo = async (name: string, fields: object) => {
    const answer = await post('/v1/messages', { ...hi, model: name, ...fields }, keyOf(client))
    expect(await answer.json()).toMatchObject({ type: 'message' })
    return system.simulator.calls.at(-1)?.body
  }
  const enabled = { max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 4_000 } }
  expect(await sentTo('vendor_a/atlas', enabled)).not.toHaveProperty('reasoning_effort')
  expect(await sentTo('vendor_a/atlas-large', enabled)).toMatchObject({ reasoning_effort: 'low' })
  expect(await sentTo('vendor_c/prism-pro', enabled)).toMatchObject({
    generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } },
  })
  expect(await sentTo('vendor_b/lyric-classic', { thinking: { type: 'disabled' } })).toMatchObject({
    max_tokens: 20,
  })
})

test('two x-api-key headers are refused', async () => {
  const { text } = await aClient(system)
  const status = await new Promise((resolve, reject) => {
    const headers = ['content-type', 'application/json', 'x-api-key', text, 'x-api-key', text, 'host', 'x']
    const request = httpRequest(`${system.edge.url}/v1/messages`, { method: 'POST', headers }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.on('error', reject)
    request.end(JSON.stringify(hi))
  })
  expect(status).toBe(401)
})

test('counting tokens calls no vendor and costs nothing; system, tools and images count', async () => {
  const client = await aClient(system)
  const count = async (fields: object) => {
    const { max_tokens: _, ...prompt } = hi
    const send = () => post('/v1/messages/count_tokens?beta=true', { ...prompt, ...fields }, keyOf(client))
    let answer = await send()
    // The first count loads the tokenizer: on a slow machine the next request may be refused as overload.
    while (answer.status === 529) answer = await send()
    const body = await answer.json()
    expect(body).toEqual({ input_tokens: expect.any(Number) })
    return body.input_tokens
  }
  const calls = system.simulator.calls.length
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  const plain = await count({})
  expect(plain).toBeGreaterThan(0)
  expect(await count({ system: 'Rules of the system. '.repeat(50) })).toBeGreaterThan(plain + 150)
  const tools = [{ name: 'look', description: 'Looks. '.repeat(50), input_schema: {} }]
  expect(await count({ tools })).toBeGreaterThan(plain + 50)
  const messages = [{ role: 'user', content: [{ type: 'image', source }] }]
  expect(await count({ messages })).toBeGreaterThan(plain + 100)
  expect(system.simulator.calls).toHaveLength(calls)
  expect(await logsOf(system, client)).toEqual([])
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
    credits: 100_000_000_000n,
    in_use: 0n,
  })

  const unknown = await post('/v1/messages/count_tokens', { ...hi, model: 'none' }, keyOf(client))
  expect(unknown.status).toBe(404)
  const hasty = await aClient(system, { rpm: 1 })
  await post('/v1/messages/count_tokens', hi, keyOf(hasty))
  expect((await post('/v1/messages/count_tokens', hi, keyOf(hasty))).status).toBe(429)
})

function keyOf({ text }: TestClient) {
  return { 'x-api-key': text, 'anthropic-version': '2023-06-01' }
}
