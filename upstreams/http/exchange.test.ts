import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../platform/http/listen.ts'
import { aVendor } from '../../test/harness/a-vendor.ts'
import type { ByteQueue } from './byte-queue.ts'
import { Cancellation } from './cancellation.ts'
import { exchange, explainError } from './exchange.ts'
import { AddressRefused } from './guard-address.ts'

const timeouts = { firstByteMs: 20_000, idleMs: 200, totalMs: 20_000 }
const part = 'x'.repeat(100_000)
const parts = 200 // more than what sockets hold

test('a vendor that is held back for a slow reader is not taken for silent', async () => {
  const bytes = await open(async response => {
    for (let sent = 0; sent < parts; sent++) if (!response.write(part)) await once(response, 'drain')
    response.end()
  })
  let size = (await bytes.read())!.length
  await sleep(3 * timeouts.idleMs)
  for (let read = await bytes.read(); read; read = await bytes.read()) size += read.length
  expect(size).toBe(parts * part.length)
})

test('a vendor that falls silent while it is read is given up', async () => {
  const bytes = await open(response => void response.write(part))
  const readAll = async () => {
    while (await bytes.read());
  }
  await expect(readAll()).rejects.toMatchObject({ kind: 'timeout' })
})

test('a long body arrives whole, with its length, and may be refused before it has arrived', async () => {
  const body = Buffer.alloc(3_000_001, 'abcdefg')
  const server = createServer(async (request, response) => {
    if (request.url === '/refused') return void response.end('too long')
    const sent = await buffer(request)
    response.end(`${request.headers['content-length']} ${sent.equals(body)}`)
  })
  const { url } = await listen(server, { host: '127.0.0.1', port: 0 })
  const dispatcher = new Agent()
  onTestFinished(async () => {
    await dispatcher.destroy()
    server.closeAllConnections()
    server.close()
  })
  const post = async (path: string) => {
    const request = { origin: url, path, headers: {}, body }
    const { bytes } = await exchange(dispatcher, request, { timeouts, cancellation: new Cancellation() })
    return String(await bytes.readAll())
  }
  expect(await post('/')).toBe('3000001 true')
  expect(await post('/refused')).toBe('too long')
  expect(await post('/')).toBe('3000001 true')
})

async function open(answer: (response: ServerResponse) => unknown): Promise<ByteQueue> {
  const vendor = await aVendor(answer)
  const dispatcher = new Agent()
  onTestFinished(async () => {
    await dispatcher.destroy()
    vendor.close()
  })
  const request = { origin: vendor.url, path: '/', headers: {}, body: '{}' }
  return (await exchange(dispatcher, request, { timeouts, cancellation: new Cancellation() })).bytes
}

const failed = (code: string | undefined, message: string) => Object.assign(new Error(message), { code })

test.each([
  [failed('ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:443'), 'the vendor refused the connection'],
  [failed('ENOTFOUND', 'getaddrinfo ENOTFOUND x.internal'), 'the name of the vendor has no address'],
  [
    failed('UND_ERR_CONNECT_TIMEOUT', 'attempted address: 10.1.2.3:443'),
    'no connection to the vendor in time',
  ],
  [
    failed('ERR_TLS_CERT_ALTNAME_INVALID', "IP: 10.1.2.3 is not in the cert's list"),
    "the vendor's certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  [failed('HPE_INVALID_CONSTANT', '10.1.2.3'), "the vendor's answer is no HTTP (HPE_INVALID_CONSTANT)"],
  [failed('EPROTO', '10.1.2.3'), 'the connection to the vendor failed (EPROTO)'],
  [failed('10.1.2.3', '10.1.2.3'), 'the connection to the vendor failed'],
  [failed(undefined, '10.1.2.3'), 'the connection to the vendor failed'],
  [new AddressRefused('10.1.2.3'), 'the address does not lead to a public one, over TLS'],
])('%s', (error, message) => {
  expect(explainError(error)).toBe(message)
})
