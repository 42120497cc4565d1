import { request } from 'node:http'
import { expect, test } from 'vitest'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)
const client = perFile(() => aClient(system))

const entries: [entry: string, address: () => string][] = [
  ['the edge', () => `${system.edge.url}/v1/models`],
  ['the control plane', () => `${system.control.url}/api/v1/billing/balance`],
  ['the control plane through the edge', () => `${system.edge.url}/api/v1/billing/balance`],
]

/** The status of a GET with exactly these headers. */
function statusWith(address: string, authorization: string[]): Promise<number | undefined> {
  const headers = authorization.flatMap((value, index) => [
    index % 2 ? 'authorization' : 'Authorization',
    value,
  ])
  return new Promise((resolve, reject) => {
    const call = request(address, { headers: ['host', new URL(address).host, ...headers] })
    call.on('response', response => resolve(response.resume().statusCode))
    call.on('error', reject)
    call.end()
  })
}

test.each(entries)('%s takes Bearer in any case, one blank or more, and the key', async (_, address) => {
  for (const beginning of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer   '])
    expect(await statusWith(address(), [beginning + client.text]), beginning).toBe(200)
})

test.each(entries)('%s takes nothing else', async (_, address) => {
  const { text } = client
  const others = [
    text,
    `Bearer${text}`,
    `Basic ${text}`,
    `Bearer\t${text}`,
    `Bearer ${text} x`,
    `Bearer ${text},`,
  ]
  for (const other of [...others, 'Bearer', 'Bearer ', `Bearer ${'x'.repeat(8193)}`])
    expect(await statusWith(address(), [other]), other).toBe(401)
})

test.each(entries)('%s refuses two Authorization headers, also when both are good', async (_, address) => {
  const good = `Bearer ${client.text}`
  for (const two of [
    [good, good],
    [good, 'Bearer other'],
    ['Bearer other', good],
    [good, ''],
  ])
    expect(await statusWith(address(), two), two.join(' and ')).toBe(401)
})

const endpoints = [
  '/chat/completions',
  '/responses',
  '/images/generations',
  '/videos/generations',
  '/audio/speech',
  '/audio/generations',
  '/uploads',
]
const noAccess = { code: 401, msg: 'You do not have access permissions' }

async function answerTo(path: string, headers: Record<string, string>) {
  const response = await fetch(system.baseURL + path, { method: 'POST', headers, body: '{}' })
  return [response.status, await response.json()]
}

test.each(endpoints)('%s: a missing or wrong Authorization header is a 401', async path => {
  const { token } = await system.aPerson()
  const json = { 'content-type': 'application/json' }
  for (const authorization of [
    undefined,
    'Bearer nonsense',
    `Bearer sk-rb-${'a'.repeat(12)}-${'b'.repeat(48)}`,
    `Basic ${client.text}`,
    client.text,
    `Bearer ${token}`,
  ]) {
    const answer = await answerTo(path, { ...json, ...(authorization && { authorization }) })
    expect(answer, String(authorization)).toEqual([401, noAccess])
  }
})

test.each(endpoints.filter(path => path !== '/uploads'))(
  '%s: a missing or wrong Content-Type header is a 401',
  async path => {
    const authorization = `Bearer ${client.text}`
    for (const type of ['text/plain', 'application/xml', ''])
      expect(await answerTo(path, { authorization, 'content-type': type }), type).toEqual([401, noAccess])
  },
)

test('the key of a registered vendor credential is data: it authenticates no request', async () => {
  const apiKey = 'sim-own-credential'
  const body = { provider: 'vendor_b', label: 'own', api_key: apiKey }
  expect((await system.rest('POST', '/byok', { token: client.text, body })).status).toBe(201)
  const stranger = clientOf(system, { ...client, text: apiKey })
  expect((await stranger.post('/chat/completions', saying('Hi'))).status).toBe(401)
  expect((await system.rest('GET', '/me', { token: apiKey })).status).toBe(401)
})

test.each([
  ['GET', '/videos/generations'],
  ['GET', '/videos/generations/task_1'],
  ['DELETE', '/videos/generations/task_1'],
])('%s %s without a key is a 401', async (method, path) => {
  const response = await fetch(system.baseURL + path, { method })
  expect([response.status, await response.json()]).toEqual([401, noAccess])
})
