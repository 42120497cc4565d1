import { expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const [console, page] = ['https://console.example.com', 'https://app.example.com']

const system = perFile(() =>
  anEdgeBeforeControl({ ALLOWED_ORIGINS: console, INFERENCE_ORIGINS: `${page}, ${console}` }),
)
const client = perFile(() => aClient(system))

/** The preflight request that a browser sends first. */
const preflight = (url: string, origin: string, names = 'authorization,content-type,x-stainless-os') =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      ...(names && { 'access-control-request-headers': names }),
    },
  })

const addresses = () => [
  `${system.edge.url}/v1/chat/completions`,
  `${system.edge.url}/graphql`,
  `${system.edge.url}/api/v1/api-keys/some-id`,
  `${system.control.url}/graphql`,
  `${system.control.url}/api/v1/me`,
]

test('a page of an allowed origin is told that it may send what SDKs send', async () => {
  for (const url of addresses()) {
    const answer = await preflight(url, console)
    expect([answer.status, await answer.text()], url).toEqual([204, ''])
    const headers = Object.fromEntries(answer.headers)
    expect(headers, url).toMatchObject({
      'access-control-allow-origin': console,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
      'access-control-max-age': '7200',
    })
    expect(headers.vary, url).toContain('Origin')
    expect(headers, url).not.toHaveProperty('access-control-allow-credentials')
  }
})

test('a page of another origin is allowed nothing, and what may call one surface may not call the other', async () => {
  const others = ['https://evil.example', 'null', 'http://console.example.com', `${console}.evil.example`]
  for (const url of addresses()) {
    const refused = url.includes('/v1/chat') ? others : [...others, page]
    for (const origin of refused) {
      const answer = await preflight(url, origin)
      expect(answer.headers.get('access-control-allow-origin'), `${url} ${origin}`).toBe(null)
      expect(answer.headers.get('vary'), url).toContain('Origin')
      await answer.body?.cancel()
    }
  }
})

test('answers, streams and errors of either surface can be read by the page, and no cache gives them to another', async () => {
  const chat = (body: object, headers = {}) =>
    client.post('/chat/completions', body, { origin: page, ...headers })
  const whole = await chat(saying('Hi'))
  const stream = await chat({ ...saying('Hi'), stream: true })
  const wrong = await chat({ model: 'vendor_a/none', messages: [] })
  const asConsole = { origin: console, authorization: `Bearer ${client.text}` }
  const rest = await fetch(`${system.edge.url}/api/v1/billing/balance`, { headers: asConsole })
  const graph = await fetch(`${system.edge.url}/graphql`, {
    method: 'POST',
    headers: { ...asConsole, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ me { id } }' }),
  })
  const missing = await fetch(`${system.edge.url}/api/v1/nothing`, { headers: asConsole })
  const statuses = [whole, stream, wrong, rest, graph, missing].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 400, 200, 200, 404])
  for (const answer of [whole, stream, wrong, rest, graph, missing]) {
    const origin = [whole, stream, wrong].includes(answer) ? page : console
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id')
    expect(answer.headers.get('vary')).toContain('Origin')
    expect(answer.headers.get('access-control-allow-credentials')).toBe(null)
    await answer.text()
  }
})

test('a browser that asks for headers without end, or for what is no header, is not told that it may send them', async () => {
  for (const names of ['a'.repeat(2_001), 'x-one;x-two', 'x-one,,x-two']) {
    const answer = await preflight(`${system.edge.url}/v1/models`, page, names)
    expect([answer.status, answer.headers.get('access-control-allow-headers')], names).toEqual([204, null])
  }
})

test('a page reads why it was refused also while the control plane is away', async () => {
  await system.control.close()
  const answer = await fetch(`${system.edge.url}/api/v1/me`, { headers: { origin: console } })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([502, console])
})

test('without the settings no page may call, and nothing is said of origins', async () => {
  const closed = await anEdgeBeforeControl()
  for (const path of ['/v1/chat/completions', '/api/v1/me']) {
    const answer = await preflight(`${closed.edge.url}${path}`, page)
    expect(answer.status).toBe(405)
    expect([...answer.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    expect(answer.headers.get('vary') ?? '').not.toContain('Origin')
  }
  await closed.close()
})
