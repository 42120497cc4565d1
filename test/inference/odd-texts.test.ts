import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'

const system = theEdgeSystem()

/** Texts that JSON carries and Postgres does not: NUL, and halves of characters; then some that need quoting. */
const oddTexts = ['\0', 'a\0b', '\ud800', '\udc00\ud800', `${'x'.repeat(63)}😀`.slice(0, 64), '",\\){}\'\n\t']

test.each(oddTexts)('an end user %j is served, charged once and logged, on every route', async odd => {
  const client = await aClient(system)
  const names = {
    user: odd,
    safety_identifier: odd,
    prompt_cache_key: odd,
    metadata: { [`k${odd}`.slice(0, 64)]: odd },
  }
  const answers = await Promise.all([
    client.post('/chat/completions', { ...saying(odd), ...names }),
    client.post('/chat/completions', { ...saying(odd), ...names, safety_identifier: null, stream: true }),
    client.post('/responses', { model: 'vendor_a/atlas', input: odd, ...names }),
    client.post('/responses', { model: 'vendor_a/atlas', input: odd, ...names, stream: true }),
  ])
  for (const answer of answers) {
    expect(answer.status, await answer.clone().text()).toBe(200)
    expect(await answer.text()).toMatch(/"total_tokens":/)
  }
  expect(await requestsOf(client)).toEqual(Array(4).fill({ status: 200, charges: 1 }))
})

test('odd end users delay nobody else: all of one batch are charged', async () => {
  const client = await aClient(system)
  const statuses = await Promise.all(
    Array.from({ length: 60 }, (_, turn) =>
      client
        .post('/chat/completions', {
          ...saying('Hi'),
          user: turn % 2 ? 'ann' : oddTexts[turn % oddTexts.length],
        })
        .then(response => response.status),
    ),
  )
  expect(statuses).toEqual(Array(60).fill(200))
  expect(await requestsOf(client)).toEqual(Array(60).fill({ status: 200, charges: 1 }))
})

test.each(oddTexts)('a model %j is not found, whole and streamed, and by its address', async odd => {
  const client = await aClient(system)
  for (const path of ['/chat/completions', '/responses'])
    for (const stream of [false, true]) {
      const response = await client.post(path, { ...saying('Hi'), input: 'Hi', model: odd, stream })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } })
    }
  const headers = { authorization: `Bearer ${client.text}` }
  const response = await fetch(`${system.baseURL}/models/${encodeURIComponent(odd.toWellFormed())}`, {
    headers,
  })
  expect(response.status).toBe(404)
})

test('headers of any bytes that HTTP allows: an Idempotency-Key and a User-Agent', async () => {
  const client = await aClient(system)
  const bytes = Buffer.from(Array.from({ length: 128 }, (_, at) => at + 128)).toString('latin1')
  const headers = { 'idempotency-key': bytes, 'user-agent': bytes, 'x-request-id': bytes }
  for (let turn = 0; turn < 2; turn++) {
    const answer = await rawPost(client, headers)
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(answer.includes('idempotent-replayed')).toBe(turn === 1)
  }
  expect(await rawPost(client, { 'idempotency-key': 'a\0b' })).toMatch(/^HTTP\/1.1 400 /)
  expect(await requestsOf(client)).toEqual([{ status: 200, charges: 1 }])
})

/** The request log of an account, and how often each was charged. */
async function requestsOf({ accountId }: TestClient): Promise<{ status: number; charges: number }[]> {
  return [
    ...(await system.context.sql<{ status: number; charges: number }[]>`
      select status, (select count(*)::int from transactions t
        where t.account_id = l.account_id and t.request_id = l.id) as charges
      from request_logs l where account_id = ${accountId}`),
  ]
}

/** A chat request with header bytes that no client library would send. */
function rawPost(client: TestClient, headers: Record<string, string>): Promise<string> {
  const { hostname, port, host } = new URL(system.baseURL)
  const body = JSON.stringify(saying('Hi'))
  const all = {
    host,
    authorization: `Bearer ${client.text}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    connection: 'close',
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname)
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}\r\n${body}`, 'latin1')
    socket.on('data', part => {
      answer += part
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

const images = [randomBytes(90_000), randomBytes(120_000)].map(bytes => bytes.toString('base64'))
const uris = images.map(data => `data:image/png;base64,${data}`)

const bodies: [path: string, body: (model: string) => object][] = [
  [
    '/chat/completions',
    model => {
      const content = uris.map(url => ({ type: 'image_url', image_url: { url } }))
      return { model, messages: [{ role: 'user', content }] }
    },
  ],
  [
    '/responses',
    model => {
      const content = uris.map(image_url => ({ type: 'input_image', image_url }))
      return { model, store: false, input: [{ role: 'user', content }] }
    },
  ],
  [
    '/messages',
    model => {
      const content = images.map(data => ({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data },
      }))
      return { model, max_tokens: 100, messages: [{ role: 'user', content }] }
    },
  ],
]

const models = ['vendor_a/atlas', 'vendor_b/lyric', 'vendor_c/prism-pro']
const cases = bodies.flatMap(([path, body]) => models.map(model => ({ path, model, body: body(model) })))

test.each(cases)('large images of $path arrive at the vendor of $model, byte for byte', async given => {
  const client = await aClient(system)
  const response = await client.post(given.path, JSON.stringify(given.body))
  expect(response.status, await response.text()).toBe(200)
  const sent = JSON.stringify(system.simulator.calls.at(-1)?.body)
  const places = images.map(data => sent.indexOf(data))
  expect(places[0]).toBeGreaterThan(0)
  expect(places[1]).toBeGreaterThan(places[0]! + images[0]!.length)
  expect(sent.length - images.join('').length).toBeLessThan(1_000)
})
