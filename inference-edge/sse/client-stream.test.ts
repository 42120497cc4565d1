import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../platform/http/listen.ts'
import { ClientStream } from './client-stream.ts'

/** More than the sockets of both sides buffer. */
const manyFrames = 'x'.repeat(32 << 20)
const options = { stalledReaderMs: 100, keepAliveMs: 60_000, keepAlive: () => '' }

test('a client that reads nothing of a stream is disconnected', async () => {
  const response = await aResponse()
  const client = new ClientStream(response, options)
  await expect(client.write(manyFrames)).rejects.toThrow('the client stopped reading')
  expect(response.destroyed).toBe(true)
})

test('a client that reads nothing of the last frames is disconnected, and they count until then', async () => {
  const response = await aResponse()
  let unreadBytes = 0
  const onUnread = (bytes: number) => {
    unreadBytes = bytes
  }
  const client = new ClientStream(response, { ...options, onUnread })
  const ending = client.end(manyFrames)
  expect(unreadBytes).toBeGreaterThan(1 << 20)
  await ending
  expect([response.destroyed, response.writableFinished]).toEqual([true, false])
})

test('few last frames behind frames that the client does not read are cut, too', async () => {
  const response = await aResponse()
  const client = new ClientStream(response, options)
  client.send(manyFrames)
  await client.end('data: [DONE]\n\n')
  expect([response.destroyed, response.writableFinished]).toEqual([true, false])
})

test('the last frames of a client that reads are sent whole', async () => {
  const response = await aResponse({ reads: true })
  const client = new ClientStream(response, { ...options, stalledReaderMs: 60_000 })
  await client.end(manyFrames)
  expect(response.writableFinished).toBe(true)
})

/** A response to a client that reads nothing unless it `reads`. */
async function aResponse({ reads = false } = {}): Promise<ServerResponse> {
  const server = createServer()
  const listening = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.drain(0))
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  if (reads) socket.resume()
  const arrived = once(server, 'request')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, response] = await arrived
  return response
}
