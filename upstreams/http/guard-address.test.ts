import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AddressRefused, guardedConnector } from './guard-address.ts'

let server: Server
let port: number
let hits = 0

beforeAll(async () => {
  server = createServer((_request, response) => {
    hits++
    response.end('inside')
  })
  server.listen(0, '::')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => void server.close())

const closed = new Agent({
  connect: guardedConnector({ allowLoopback: false, timeoutMs: 2_000, maxResponseBytes: 1 << 26 }),
})
const open = new Agent({
  connect: guardedConnector({ allowLoopback: true, timeoutMs: 2_000, maxResponseBytes: 1 << 26 }),
})

const ask = (host: string, dispatcher: Agent, scheme = 'http') =>
  request(`${scheme}://${host}:${port}/`, { dispatcher }).then(answer => answer.body.text())

/** The same place fourteen times. */
const spellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  'localhost',
  '0177.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
]

describe.each(spellings)('loopback as %s', host => {
  it('is never reached', async () => {
    const before = hits
    for (const scheme of ['http', 'https']) {
      await expect(ask(host, closed, scheme)).rejects.toBeInstanceOf(AddressRefused)
    }
    expect(hits).toBe(before)
  })

  it('is reached where it is allowed', async () => {
    expect(await ask(host, open)).toBe('inside')
  })
})

it('without TLS: only loopback is spoken to, where it is allowed', async () => {
  await expect(ask('8.8.8.8', closed)).rejects.toMatchObject({ address: '8.8.8.8' })
  await expect(ask('example.com', closed)).rejects.toBeInstanceOf(AddressRefused)
})

describe('a connection that receives too much', () => {
  const maxResponseBytes = 200_000

  it.each([
    ['a status line', 'HTTP/1.1 200 ', 'a'],
    ['a chunk extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', 'a'],
    ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('is closed: %s without an end', async (_, head, part) => {
    const flood = createTcpServer(socket => {
      const parts = Buffer.from(part.repeat(1_000))
      const pour = () => {
        while (socket.writable && socket.write(parts));
      }
      socket.on('error', () => {}).on('drain', pour)
      socket.once('data', () => {
        socket.write(head)
        pour()
      })
    })
    flood.listen(0, '127.0.0.1')
    await once(flood, 'listening')
    const address = flood.address()
    const floodPort = typeof address === 'object' && address ? address.port : 0
    const connect = guardedConnector({ allowLoopback: true, timeoutMs: 2_000, maxResponseBytes })
    const limited = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 })
    const asking = request(`http://127.0.0.1:${floodPort}/`, { dispatcher: limited })
    await expect(asking.then(answer => answer.body.text())).rejects.toThrow('too long')
    flood.close()
  })

  it('stays open for any number of responses that are small enough', async () => {
    const connect = guardedConnector({ allowLoopback: true, timeoutMs: 2_000, maxResponseBytes: 1_000 })
    const limited = new Agent({ connect, connections: 1 })
    const texts = []
    for (let count = 0; count < 20; count++) texts.push(await ask('127.0.0.1', limited))
    expect(texts).toEqual(Array(20).fill('inside'))
    await limited.close()
  })
})
