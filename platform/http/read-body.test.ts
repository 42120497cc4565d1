import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'
import { readBody } from './read-body.ts'

test('what was sent in pieces is one body', async () => {
  const { request, socket } = await aRequest('content-length: 6')
  const body = readBody(request, 6)
  socket.write('abc')
  socket.write('def')
  expect((await body).toString()).toBe('abcdef')
})

test('past the limit nothing is collected any more, and what comes is thrown away', async () => {
  const { request, socket } = await aRequest('transfer-encoding: chunked')
  const body = readBody(request, 4)
  socket.write('3\r\nabc\r\n2\r\nde\r\n')
  await expect(body).rejects.toMatchObject({
    errorName: 'body_too_large',
    message: 'The body is larger than 4 bytes.',
  })
  expect(request.listenerCount('data')).toBe(0)
  socket.write('3\r\nfgh\r\n0\r\n\r\n')
  await once(request, 'end')
})

test('a body that comes too slowly is refused, and its rest is neither kept nor counted', async () => {
  const { request, socket } = await aRequest('transfer-encoding: chunked')
  let takenBytes = 0
  const take = (bytes: number) => {
    takenBytes += bytes
  }
  const body = readBody(request, 100, { graceMs: 1, take })
  await expect(body).rejects.toMatchObject({ errorName: 'request_timeout' })
  socket.write('3\r\nabc\r\n0\r\n\r\n')
  await once(request, 'end')
  expect(takenBytes).toBe(0)
})

test.each(['content-length: 5', 'content-encoding: gzip\r\ncontent-length: 1'])(
  '%s is refused unread',
  async framing => {
    const { request } = await aRequest(framing)
    const errorName = framing.includes('gzip') ? 'unsupported_media_type' : 'body_too_large'
    await expect(readBody(request, 4)).rejects.toMatchObject({ errorName })
  },
)

test('a client that leaves in the middle, or before anybody reads, keeps nobody waiting', async () => {
  const { request, socket } = await aRequest('content-length: 5')
  const body = readBody(request, 5)
  socket.end('ab')
  await expect(body).rejects.toMatchObject({ errorName: 'invalid_request', message: 'The body was cut.' })
  await expect(readBody(request, 5)).rejects.toMatchObject({ errorName: 'invalid_request' })
})

/** A POST of which the server has the headers, and the client's socket. */
async function aRequest(framing: string): Promise<{ request: IncomingMessage; socket: Socket }> {
  const server = createServer()
  const listening = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.drain(0))
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const arrived = once(server, 'request')
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${framing}\r\n\r\n`)
  const [request] = await arrived
  return { request, socket }
}
