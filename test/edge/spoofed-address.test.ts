import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { startControl } from '../../gateway/start-control.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { listen } from '../../platform/http/listen.ts'
import { anAccount, anApiKey } from '../harness/an-account.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const system = perFile(() => anEdgeSystem({ LOGIN_TRIES: '2' }))
// the edge
const control = perFile(() => startControl({ ...system.config, trustedProxies: ['127.0.0.1/32'] }))

const elsewhere = '198.51.100.9'
const asJson = { 'content-type': 'application/json' }

/** Whatever could say where a request comes from. */
const spoofs: [header: string, value: string][] = [
  ['X-Forwarded-For', elsewhere],
  ['X-Forwarded-For', `${elsewhere}, 127.0.0.1`],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Port', '1'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded', `for=${elsewhere}`],
  ['Forwarded', `for=${elsewhere}`],
  ['X-Real-IP', elsewhere],
]

test.each(spoofs)('the control plane is told nothing that a client wrote in %s: %s', async (name, value) => {
  const plane = await aRecorder()
  const edge = await anEdge({ controlUrl: plane.url })
  await fetch(`${edge.url}/api/v1/models`, { headers: { [name]: value } })
  const socket = new WebSocket(`${edge.url.replace('http', 'ws')}/graphql`, { headers: { [name]: value } })
  await once(socket, 'error')
  expect(plane.heard).toHaveLength(2)
  for (const headers of plane.heard) {
    const told = Object.entries(headers).filter(([header]) => /forwarded|real-ip/.test(header))
    expect(told).toEqual([['x-forwarded-for', '127.0.0.1']])
  }
})

test('an IP allow list of a key cannot be passed by writing where one is, over HTTP nor WebSocket', async () => {
  const edge = await anEdge({ controlUrl: control.url })
  const { accountId } = await anAccount(system.context)
  const fromElsewhere = await anApiKey(system.context, { accountId, ipWhitelist: [elsewhere] })
  const fromHere = await anApiKey(system.context, { accountId, ipWhitelist: ['127.0.0.1'] })
  const spoofed = { 'x-forwarded-for': elsewhere }
  const balance = async (key: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${key}`
    const answer = await fetch(`${edge.url}/api/v1/billing/balance`, {
      headers: { authorization, ...headers },
    })
    return answer.status
  }
  expect(await balance(fromElsewhere.text)).toBe(403)
  expect(await balance(fromElsewhere.text, spoofed)).toBe(403)
  expect(await balance(fromHere.text, spoofed)).toBe(200)
  expect(await overSocket(edge.url, fromElsewhere.text, spoofed)).toBe(4403)
  expect(await overSocket(edge.url, fromHere.text, spoofed)).toBeUndefined()
})

test('a proxy that the edge trusts names the client, who still cannot', async () => {
  const edge = await anEdge({ controlUrl: control.url, trustedProxies: ['127.0.0.1/32'] })
  const { accountId } = await anAccount(system.context)
  const key = await anApiKey(system.context, { accountId, ipWhitelist: [elsewhere] })
  const statusFor = async (forwarded: string) => {
    const headers = { authorization: `Bearer ${key.text}`, 'x-forwarded-for': forwarded }
    return (await fetch(`${edge.url}/api/v1/billing/balance`, { headers })).status
  }
  expect(await statusFor(elsewhere)).toBe(200)
  expect(await statusFor(`::ffff:${elsewhere}`)).toBe(200)
  expect(await statusFor(`${elsewhere}, 203.0.113.7`)).toBe(403)
})

test('guesses at a password count for one address, whatever each says of itself', async () => {
  const edge = await anEdge({ controlUrl: control.url })
  const guess = async (from: number) => {
    const answer = await fetch(`${edge.url}/api/v1/auth/log-in`, {
      method: 'POST',
      headers: { ...asJson, 'x-forwarded-for': `198.51.100.${from}` },
      body: JSON.stringify({ email: 'guessed@example.com', password: `guess number ${from}` }),
    })
    return answer.status
  }
  expect([await guess(1), await guess(2), await guess(3)]).toEqual([401, 401, 429])
})

/** One more edge of the system. */
async function anEdge(options: { controlUrl: string; trustedProxies?: string[] }) {
  const edge = forThisTest(await startEdge({ ...system.config, ...options }))
  return edge
}

/** Stands where the control plane does and remembers the headers that it is sent. */
async function aRecorder() {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((received, response) => {
    heard.push(received.headers)
    response.end()
  })
  server.on('upgrade', (received, socket) => {
    heard.push(received.headers)
    socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
  })
  const { url, drain } = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => drain(0))
  return { url, heard }
}

/** The errors of a query that a key sends over WebSocket, or the code with which its connection is closed. */
async function overSocket(url: string, key: string, headers: Record<string, string>): Promise<unknown> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const send = (content: object) => socket.send(JSON.stringify(content))
  send({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } })
  const closed = once(socket, 'close')
  const [first] = await Promise.race([once(socket, 'message'), closed])
  if (typeof first === 'number') return first
  send({ id: '1', type: 'subscribe', payload: { query: '{ me { balance { available } } }' } })
  const [message] = await once(socket, 'message')
  const { payload } = JSON.parse(message)
  return Array.isArray(payload) ? payload : payload.errors
}
