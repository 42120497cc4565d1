import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../platform/http/listen.ts'
import { openConnection } from './open-connection.ts'

test('a request after a response that ends the connection is sent over another connection', async () => {
  const server = createServer((request, response) => {
    response.shouldKeepAlive = request.url !== '/last'
    response.end(String(request.socket.remotePort))
  })
  const { url, drain } = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => drain(0))
  const answers: string[] = []
  const ended = Promise.withResolvers<string>()
  const paths = ['/first', '/last', '/first', '/last']
  const connection = openConnection(Number(new URL(url).port), {
    answer(answer) {
      answers.push(answer.toString().split('\r\n\r\n')[1] ?? '')
      sendNext()
    },
    end: ended.resolve,
  })
  const sendNext = () => {
    const path = paths.shift()
    if (path) connection.send(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`))
    else connection.close()
  }
  sendNext()
  expect(await ended.promise).toBe('closed')
  const [first, second, third, fourth] = answers
  expect([first === second, third === fourth, first === third]).toEqual([true, true, false])
})
