import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { startControl } from '../../gateway/start-control.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { pageIcon } from '../../platform/pages/render-page.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeProcess, type EdgeProcess } from '../harness/a-process.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

const address = (path: string) => `${system.edge.url}${path}`
const asJson = { 'content-type': 'application/json' }

const browser = 'text/html,application/xhtml+xml'

test('a browser gets a page with links at / and at an unknown address; other clients get JSON', async () => {
  const open = (path: string, accept: string) => fetch(system.edge.url + path, { headers: { accept } })
  const [home, missing] = [await open('/', browser), await open('/nowhere', browser)]
  expect([home.status, missing.status]).toEqual([200, 404])
  for (const page of [home, missing]) {
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await page.text()).toMatch(/href="\/docs".*href="\/graphql".*href="\/readyz"/s)
  }
  for (const answer of [await open('/', '*/*'), await open('/v1/nowhere', browser)])
    expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'not_found'])
})

test('the control plane answers a browser with the same page at its own /', async () => {
  const open = async (accept: string) => fetch(system.control.url, { headers: { accept } })
  const page = await open(browser)
  expect([page.status, (await page.text()).includes('href="/docs"')]).toEqual([200, true])
  expect((await open('*/*')).status).toBe(404)
})

test.each([
  '/',
  '/nowhere',
  '/docs',
  '/graphql',
  '/account/confirm-email',
  '/account/reset-password',
  '/api/v1/billing/topup/done',
])('the page %s has the icon and fits small screens, and loads nothing that it does not name', async path => {
  const page = await fetch(system.edge.url + path, { headers: { accept: browser } })
  const html = await page.text()
  expect(html).toContain(`<link rel="icon" href="${pageIcon}">`)
  expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*img-src data:/)
})

// Closes the control plane.
test('one base address serves the whole interface, and /v1 goes on without the control plane', async () => {
  const client = await aClient(system)
  const signedUp = await fetch(address('/api/v1/auth/sign-up'), {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }),
  })
  expect(signedUp.status).toBe(201)
  const balance = await fetch(address('/api/v1/billing/balance'), {
    headers: { authorization: `Bearer ${client.text}` },
  })
  expect(await balance.json()).toMatchObject({ credits: 100, held: 0, available: 100, currency: 'USD' })
  expect((await (await fetch(address('/.well-known/jwks.json'))).json()).keys).toHaveLength(1)
  const page = await fetch(address('/account/confirm-email')) // e-mails link to it under the same base address
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const typename = { query: '{ __typename }' }
  const overHttp = await fetch(address('/graphql'), {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify(typename),
  })
  expect(await overHttp.json()).toMatchObject({ data: { __typename: 'Query' } })

  const socket = createClient({ url: address('/graphql').replace('http', 'ws'), webSocketImpl: WebSocket })
  const overSocket = await new Promise((resolve, reject) => {
    socket.subscribe(typename, { next: resolve, error: reject, complete: () => {} })
  })
  expect(overSocket).toMatchObject({ data: { __typename: 'Query' } })
  await socket.dispose()

  await system.control.close()
  const gone = await fetch(address('/api/v1/billing/balance'))
  expect(gone.status).toBe(502)
  expect(await gone.json()).toMatchObject({ code: 502, error: { code: 'control_unavailable' } })
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect((await fetch(address('/readyz'))).status).toBe(200)
})

/** The same for every kind of request. */
const answersTo: [requestLine: string, status: number | undefined][] = [
  ['GET //', 404],
  ['GET //[', 404],
  ['GET ///%00', 404],
  ['GET //%@x#', 404],
  ['GET /%', 404],
  ['GET /v1/models/%00%zz%ff', 401],
  ['GET /v1/\0models', 400],
  ['GET *', 404],
  ['OPTIONS *', 404],
  ['GET http://[', 404],
  ['GET http://[::1/v1/models', 401],
  ['GET http://x:99999999/v1/models', 401],
  ['GET example.com:443', 400],
  ['CONNECT example.com:443', undefined],
  ['POST http://[', 404],
]

test.each([
  ['a request', ''],
  ['an upgrade to WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ['an upgrade to HTTP/2', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n'],
])('no target of %s ends an edge: each has its answer, or a closed socket', async (_, headers) => {
  const edge = await anEdgeProcess(system)
  onTestFinished(() => edge.kill())
  const expected = [...answersTo, ['GET /graphql/..//', 502] as const]
  for (const [line, status] of expected) {
    expect(await statusOf(edge, `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`), line).toBe(status)
  }
  expect(await statusOf(edge, 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(401)
})

test('a POST that offers HTTP/2 beside, as clients in Java do, is served as it is', async () => {
  const client = await aClient(system)
  const headers = {
    ...asJson,
    authorization: `Bearer ${client.text}`,
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  }
  const sent = request(address('/v1/chat/completions'), { method: 'POST', headers })
  sent.end(JSON.stringify(saying('Hi')))
  const [answer] = await once(sent, 'response')
  expect(answer.statusCode).toBe(200)
  expect(await json(answer)).toMatchObject({ object: 'chat.completion' })
})

/** The status that a raw request is answered with; undefined where the socket is closed without a word. */
function statusOf({ baseURL }: EdgeProcess, line: string): Promise<number | undefined> {
  const { hostname, port } = new URL(baseURL)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(line, 'latin1'))
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer to ${line}`)))
    socket.on('data', part => {
      answer += part
      socket.end()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer === '' ? undefined : Number(answer.split(' ')[1])))
  })
}

test('an edge that closes does not wait for WebSockets', async () => {
  const plane = forThisTest(await startControl({ ...system.config, controlPort: 0 }))
  const edge = await startEdge({ ...system.config, controlUrl: plane.url })
  const socket = new WebSocket(`${edge.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await edge.close()
  await closed
})
