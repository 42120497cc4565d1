import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { connect, type Server, type Socket, createServer as serveSockets } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { startEdge } from '../../inference-edge/start-edge.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { listen } from '../../platform/http/listen.ts'
import { aClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

const typename = JSON.stringify({ query: '{ __typename }' })

test('a stranger who asks for streams and closed connections breaks no call of another account', async () => {
  const { text: key } = await aClient(system)
  const head = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${typename.length}`
  const attack = `POST /graphql HTTP/1.1\r\n${head}\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n`
  const statuses: number[] = []
  for (let turn = 0; turn < 40; turn++) {
    expect(await rawAnswer(system.edge.url, attack + typename)).toMatch(/^HTTP\/1.1 200 /)
    const answer = await fetch(`${system.edge.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: typename,
    })
    statuses.push(answer.status)
    await answer.text()
  }
  expect(statuses).toEqual(Array(40).fill(200))
})

test('both transports of subscriptions work behind a proxy that closes each connection', async () => {
  const { edge } = system
  const overStream = await rawAnswer(
    edge.url,
    `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close, x-mark\r\nx-mark: 1\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${typename.length}\r\n\r\n${typename}`,
  )
  expect(overStream).toMatch(/event: next\ndata: \{"data":\{"__typename":"Query"\}[\s\S]*event: complete/)

  const client = createClient({ url: `${edge.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket })
  onTestFinished(() => void client.dispose())
  const overSocket = new Promise((resolve, reject) => {
    client.subscribe({ query: '{ __typename }' }, { next: resolve, error: reject, complete: () => {} })
  })
  expect(await overSocket).toMatchObject({ data: { __typename: 'Query' } })
})

test('headers of one connection stay on it, in both directions, whatever a client lists as such', async () => {
  const heard: IncomingHttpHeaders[] = []
  const edgeUrl = await anEdgeBefore((request, response) => {
    heard.push(request.headers)
    response.writeHead(200, {
      connection: 'x-hop',
      'x-hop': 'theirs',
      'proxy-authenticate': 'Basic',
      'keep-alive': 'timeout=99',
      'x-kept': 'theirs',
    })
    response.end('here')
  })
  const sent = [
    'connection: X-Hop, x-forwarded-for',
    'x-hop: mine',
    'keep-alive: timeout=1',
    'proxy-connection: close',
    'proxy-authorization: Basic eA==',
    'te: trailers',
    'upgrade: h2c',
    'x-kept: mine',
  ]
  const answer = await rawAnswer(
    edgeUrl,
    `GET /api/v1/models HTTP/1.1\r\nhost: x\r\n${sent.join('\r\n')}\r\nconnection: close\r\n\r\n`,
  )
  expect(heard).toEqual([
    { host: 'x', 'x-kept': 'mine', 'x-forwarded-for': '127.0.0.1', connection: 'keep-alive' },
  ])
  expect(answer).toMatch(/\r\nx-kept: theirs\r\n/)
  expect(answer).not.toMatch(/\r\n(x-hop|proxy-authenticate|keep-alive):/i)
})

test('a connection that the control plane asked to close carries no other request', async () => {
  const sockets = new Set<Socket>()
  const edgeUrl = await anEdgeBefore(
    aSocketServer((socket, request) => {
      if (!sockets.has(socket)) sockets.add(socket)
      else socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
      if (request) socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok')
    }),
  )
  for (let turn = 0; turn < 3; turn++) expect(await statusOf(edgeUrl, 'POST')).toBe(200)
  expect(sockets.size).toBe(3)
})

test('what failed on a connection used before is sent once more, unless that might do it twice', async () => {
  let requests = 0
  const used = new Set<Socket>()
  const edgeUrl = await anEdgeBefore(
    aSocketServer(socket => {
      requests += 1
      if (used.has(socket)) return void socket.destroy()
      used.add(socket)
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    }),
  )
  expect(await statusOf(edgeUrl, 'GET')).toBe(200)
  expect(await statusOf(edgeUrl, 'PUT')).toBe(200)
  expect(requests).toBe(3)
  expect(await statusOf(edgeUrl, 'GET')).toBe(200)
  expect(await statusOf(edgeUrl, 'POST')).toBe(502)
})

test('connections that were closed while they were idle cost no call, whatever its method', async () => {
  const sockets = new Set<Socket>()
  const edgeUrl = await anEdgeBefore(
    aSocketServer(socket => {
      sockets.add(socket)
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    }),
  )
  for (let turn = 0; turn < 20; turn++) {
    expect(await statusOf(edgeUrl, 'POST')).toBe(200)
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
})

test('a client that leaves in the middle ends its request, of which nothing stays behind', async () => {
  let left = 0
  const edgeUrl = await anEdgeBefore((request, response) => {
    if (request.url === '/api/v1/models') return void request.resume().on('end', () => response.end('ok'))
    request.resume()
    if (request.method === 'GET') response.writeHead(200).write('a part')
    response.on('close', () => left++)
  })
  const sending = open(edgeUrl, 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\npart')
  const reading = open(edgeUrl, 'GET /graphql HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(reading, 'data')
  sending.destroy()
  reading.destroy()
  await expect.poll(() => left).toBe(2)
  for (let turn = 0; turn < 3; turn++) expect(await statusOf(edgeUrl, 'POST')).toBe(200)
})

test('a body that is long, or of unknown length, arrives as it was sent', async () => {
  const edgeUrl = await anEdgeBefore(async (request, response) => {
    const body = await text(request)
    response.end(JSON.stringify([body.length, request.headers['content-length']]))
  })
  const send = async (body: BodyInit, length: string | null) => {
    const options = { method: 'POST', body, duplex: 'half' as const }
    expect(await (await fetch(`${edgeUrl}/graphql`, options)).json()).toEqual([3_000_000, length])
  }
  await send('x'.repeat(3_000_000), '3000000')
  await send(new Blob(['x'.repeat(3_000_000)]).stream(), null)
})

/** An edge before a control plane that a test plays. */
async function anEdgeBefore(plane: RequestListener | Server, options: Partial<Config> = {}): Promise<string> {
  const server = await controlPlane(plane)
  const edge = await startEdge({ ...system.config, controlUrl: server.url, shutdownGraceMs: 0, ...options })
  onTestFinished(async () => {
    await server.close()
    await edge.close()
  })
  return edge.url
}

async function controlPlane(plane: RequestListener | Server) {
  if (typeof plane === 'function') {
    const { url, drain } = await listen(createServer(plane), { host: '127.0.0.1', port: 0 })
    return { url, close: () => drain(0) }
  }
  plane.listen(0, '127.0.0.1')
  await once(plane, 'listening')
  const address = plane.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, close: async () => void plane.close() }
}

/** A server that is handed each request as its text: these have short bodies, which come with their heads. */
function aSocketServer(onRequest: (socket: Socket, request: string) => void): Server {
  return serveSockets(socket => {
    socket.on('error', () => {})
    socket.on('data', part => onRequest(socket, String(part)))
  })
}

async function statusOf(edgeUrl: string, method: string): Promise<number> {
  const answer = await fetch(`${edgeUrl}/api/v1/models`, { method, ...(method !== 'GET' && { body: '{}' }) })
  await answer.text()
  return answer.status
}

function open(url: string, request: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).write(request)
  return socket
}

/** All bytes that the edge sends on a new connection until it closes it. */
function rawAnswer(url: string, request: string): Promise<string> {
  return text(open(url, request))
}
