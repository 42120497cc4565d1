import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'

const control = perFile(aControlPlane)

/** Opens a connection and returns its first message or its close code. */
async function connect(payload?: object) {
  const socket = new WebSocket(`${control.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const send = (message: object) => socket.send(JSON.stringify(message))
  const receive = () =>
    new Promise<{ type: string; id?: string; payload?: unknown } | number>(resolve => {
      socket.once('message', data => resolve(JSON.parse(String(data))))
      socket.once('close', resolve)
    })
  send({ type: 'connection_init', payload })
  return { first: await receive(), send, receive }
}

test.each([
  ['a session token', { authorization: 'Bearer eyJhbGciOiJFZERTQSJ9.e30.AAAA' }],
  ['a key', { Authorization: `Bearer sk-${'x'.repeat(48)}` }],
  ['no bearer', { authorization: 'secret' }],
])('a connection with an invalid credential is closed with 4403: %s', async (_, payload) => {
  expect((await connect(payload)).first).toBe(4403)
})

test('a connection without a credential or with a valid one is opened', async () => {
  const { token } = await control.aPerson()
  for (const payload of [undefined, {}, { authorization: `Bearer ${token}` }])
    expect((await connect(payload)).first).toMatchObject({ type: 'connection_ack' })
})

test('an operation that is not executed ends with `error`, a partly failing one with `next`', async () => {
  const { token } = await control.aPerson()
  const { send, receive } = await connect({ authorization: `Bearer ${token}` })
  const variable = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }'
  for (const [id, payload] of [
    ['parse', { query: '{' }],
    ['validate', { query: '{ nothing }' }],
    ['literal', { query: '{ apiKeys(first: "x") { totalCount } }' }],
    ['variable', { query: variable, variables: { input: {} } }],
    ['subscription', { query: 'subscription { nothing }' }],
    ['operation', { query: 'query a { me { id } }', operationName: 'b' }],
  ] as const) {
    send({ id, type: 'subscribe', payload })
    const errors = [{ message: expect.any(String), extensions: { code: 'BAD_USER_INPUT' } }]
    expect(await receive(), id).toMatchObject({ id, type: 'error', payload: errors })
  }
  send({ id: 'part', type: 'subscribe', payload: { query: '{ me { id } apiKey(id: "x") { id } }' } })
  expect(await receive()).toMatchObject({
    id: 'part',
    type: 'next',
    payload: { data: { me: { id: expect.any(String) }, apiKey: null }, errors: [{ path: ['apiKey'] }] },
  })
})

test('web pages of other origins cannot open a WebSocket; own and allowed origins and programs can', async () => {
  const allowing = forThisTest(
    await aControlPlane({
      BASE_URL: 'https://api.example.com/',
      ALLOWED_ORIGINS: 'https://console.example.com/, http://localhost:3000',
    }),
  )
  const opened = (origin?: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${allowing.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        ...(origin && { origin }),
      })
      socket.once('open', () => resolve(101)).once('error', reject)
      socket.once('unexpected-response', (_, answer) => resolve(answer.statusCode ?? 0))
      onTestFinished(() => socket.terminate())
    })
  const ours = [undefined, 'https://api.example.com', 'https://console.example.com', 'http://localhost:3000']
  for (const origin of ours) expect(await opened(origin), origin).toBe(101)
  const others = [
    'https://evil.example',
    'null',
    'https://api.example.com.evil.example',
    'http://api.example.com',
    'http://localhost:3001',
  ]
  for (const origin of others) expect(await opened(origin), origin).toBe(403)
})

test('a frame that is too large or invalid closes the connection and writes one log line', async () => {
  const said = vi.spyOn(console, 'error')
  const sendFirst = async (text: string) => {
    const socket = new WebSocket(`${control.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    socket.on('error', () => {})
    await once(socket, 'open')
    const closed = once(socket, 'close')
    socket.send(text)
    return (await closed)[0]
  }
  expect(await sendFirst(`{"type":"connection_init","payload":{"a":"${'x'.repeat(1024 * 1024)}"}}`)).toBe(
    1009,
  )
  expect(await sendFirst('{"type":"connection_init","payload":{"__proto__":{"a":1}}}')).toBe(4400)
  expect(await sendFirst(`{"type":"connection_init","payload":${'['.repeat(300)}${']'.repeat(300)}}`)).toBe(
    4400,
  )
  expect(await sendFirst('{')).toBe(4400)
  expect(said).not.toHaveBeenCalled()
})
