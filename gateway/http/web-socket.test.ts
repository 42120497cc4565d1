import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

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
