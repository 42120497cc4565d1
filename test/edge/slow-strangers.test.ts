import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { openProxied } from '../../inference-edge/proxy/proxied.ts'
import type { RunningEdge } from '../../inference-edge/start-edge.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'
import { anEdgeBefore } from './an-edge-before.ts'

const system = perFile(anEdgeSystem)

/** Behind a proxy that the edge trusts, each stranger has an address. */
const trustedProxies = ['127.0.0.1/32']

test('three hundred log-ins whose bodies do not come keep nothing of the control plane busy', async () => {
  let asked = 0
  const edge = await anEdgeBefore(system.config, (_, response) => void response.end(String(++asked)), {
    trustedProxies,
  })
  const slow = Array.from({ length: 300 }, (_, index) =>
    aPost(edge, `10.0.${index % 30}.1`, 'content-length: 50'),
  )
  await Promise.all(slow.map(({ connected }) => connected))
  expect((await fetch(`${edge.url}/api/v1/models`)).status).toBe(200)
  expect(asked).toBe(1)
})

test('three hundred clients of one address, who send nothing or read nothing, shut no other address out', async () => {
  const answer = Buffer.alloc(8 * 1024 * 1024, 'x')
  const edge = await anEdgeBefore(
    system.config,
    (request, response) => {
      if (request.url === '/api/v1/transactions') response.end(answer)
      else request.resume().on('end', () => response.end('here'))
    },
    { trustedProxies },
  )
  const slow = Array.from({ length: 150 }, () => [
    aPost(edge, '10.1.0.1', 'content-length: 50'),
    aReaderOfNothing(edge, '10.1.0.1'),
  ]).flat()
  await Promise.all(slow.map(({ connected }) => connected))
  const send = (address: string) =>
    fetch(`${edge.url}/api/v1/webhooks/stripe`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
      body: '{}',
      signal: AbortSignal.timeout(15_000),
    })
  await expect.poll(async () => (await send('10.1.0.1')).status).toBe(503)
  expect((await send('10.1.0.1')).headers.get('retry-after')).toBe('1')
  const others = await Promise.all(Array.from({ length: 50 }, (_, index) => send(`10.2.0.${index}`)))
  expect(others.map(({ status }) => status)).toEqual(Array(50).fill(200))
})

test('a body that comes too slowly is a 408, and the control plane has not heard of it', async () => {
  let asked = 0
  const edge = await anEdgeBefore(system.config, () => void asked++, {}, { bodyTimeoutMs: 100 })
  const slow = aPost(edge, '', 'content-length: 50')
  await slow.closed
  expect(slow.text()).toMatch(/^HTTP\/1.1 408 [\s\S]*"request_timeout"/)
  expect(asked).toBe(0)
})

test('an address has a share of what is passed on, and one of what lasts: another is served', async () => {
  let unanswered = 0
  const edge = await anEdgeBefore(
    system.config,
    (request, response) => {
      if (request.url === '/api/v1/models') response.end('here')
      else unanswered++
    },
    { trustedProxies },
    { proxiedPerAddress: 3 },
  )
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  for (let turn = 0; turn < 3; turn++) {
    void fetch(`${edge.url}/graphql`, from('2001:db8::1')).catch(() => {})
  }
  await expect.poll(() => unanswered).toBe(3)
  expect((await fetch(`${edge.url}/api/v1/models`, from('2001:db8::2'))).status).toBe(503)
  const refused = await fetch(`${edge.url}/api/v1/models`, from('2001:db8::3'))
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } })
  expect((await fetch(`${edge.url}/api/v1/models`, from('2001:db8:0:1::1'))).status).toBe(200)
})

test('what lasts, WebSockets and streams of events, has a share of its own: who has many of them is served', async () => {
  const edge = await anEdgeBefore(
    system.config,
    (request, response) => {
      if (request.url === '/api/v1/models') return void response.end('here')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': here\n\n')
    },
    { trustedProxies },
    { proxiedPerAddress: 2 },
  )
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const models = async (address: string) => (await fetch(`${edge.url}/api/v1/models`, from(address))).status
  for (let turn = 0; turn < 8; turn++) {
    expect((await fetch(`${edge.url}/graphql`, from('198.51.100.1'))).status).toBe(200)
  }
  expect(await models('198.51.100.1')).toBe(200)
  const socket = new WebSocket(`${edge.url.replace('http', 'ws')}/graphql`, from('198.51.100.1'))
  const [error] = await once(socket, 'error')
  expect(error.message).toContain('503')
  for (let turn = 0; turn < 2; turn++) await fetch(`${edge.url}/graphql`, from('198.51.100.1'))
  expect(await models('198.51.100.1')).toBe(503)
  expect(await models('198.51.100.2')).toBe(200)
})

test('the fuller it is, the fewer a network may have, and all networks of a site have the share of four', () => {
  const { enter } = openProxied({ maxPerNetwork: 4, max: 18 })
  const taken = (address: (turn: number) => string) => {
    let turn = 0
    try {
      for (;;) enter(address(turn++))
    } catch {
      return turn - 1
    }
  }
  expect(taken(() => '198.51.100.1')).toBe(4)
  expect(taken(() => '2001:db8:0:1::1')).toBe(4)
  expect(taken(() => '198.51.100.2')).toBe(4)
  expect(taken(() => '198.51.100.3')).toBe(3)
  expect(taken(() => '198.51.100.4')).toBe(2)
  expect(enter('198.51.100.5')).toBeTypeOf('function')

  const ample = openProxied({ maxPerNetwork: 4, max: 1_000 })
  let entered = 0
  for (let network = 0; network < 100; network++) {
    try {
      ample.enter(`2001:db8:0:${network}::1`)
      entered += 1
    } catch {}
  }
  expect(entered).toBe(16)
  expect(ample.enter('2001:db8:1::1')).toBeTypeOf('function')
})

/** A GET whose answer is never read. */
function aReaderOfNothing(edge: RunningEdge, from: string) {
  const { hostname, port } = new URL(edge.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).pause()
  socket.write(`GET /api/v1/transactions HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${from}\r\n\r\n`)
  return { connected: once(socket, 'connect') }
}

/** A POST to log in of which the head alone is sent. */
function aPost(edge: RunningEdge, from: string, framing: string) {
  const { hostname, port } = new URL(edge.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('error', () => {}).on('data', part => (text += part))
  const [connected, closed] = [once(socket, 'connect'), once(socket, 'close')]
  const head = [
    'host: x',
    'content-type: application/json',
    framing,
    ...(from ? [`x-forwarded-for: ${from}`] : []),
  ]
  socket.write(`POST /api/v1/auth/log-in HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  return { connected, closed, text: () => text }
}
