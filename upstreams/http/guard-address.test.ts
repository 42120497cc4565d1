import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import fc from 'fast-check'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AddressRefused, guardedConnector, isOpenTo } from './guard-address.ts'

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

const closed = new Agent({ connect: guardedConnector({ allowLoopback: false, timeoutMs: 2_000 }) })
const open = new Agent({ connect: guardedConnector({ allowLoopback: true, timeoutMs: 2_000 }) })

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

describe('isOpenTo', () => {
  const guard = { allowLoopback: false }

  it.each([
    ...[
      '0.0.0.0',
      '10.0.0.1',
      '100.64.0.1',
      '169.254.169.254',
      '172.16.5.5',
      '192.168.0.1',
      '192.0.0.8',
      '198.18.0.1',
    ],
    ...[
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '168.63.129.16',
      '::ffff:168.63.129.16',
      '::ffff:10.0.0.1',
    ],
    ...[
      '::',
      '::1',
      '::7f00:1',
      '::ffff:0:7f00:1',
      '64:ff9b::7f00:1',
      '64:ff9b::a00:1',
      '2002:7f00:1::',
      '2001::1',
    ],
    ...[
      'fc00::1',
      'fd12:3456::1',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'ff02::1',
      '100::1',
      '2001:db8::1',
      '3fff::1',
    ],
    ...['', 'example.com', '127.0.0.1:80'],
  ])('%s is closed', address => expect(isOpenTo(address, guard)).toBe(false))

  it.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001::5'])(
    '%s is open',
    address => expect(isOpenTo(address, guard)).toBe(true),
  )

  it('loopback is open where that is allowed, other private addresses are not', () => {
    expect(isOpenTo('127.0.0.53', { allowLoopback: true })).toBe(true)
    expect(isOpenTo('10.0.0.1', { allowLoopback: true })).toBe(false)
  })

  it('an address of IPv4 is as open in the guise of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        expect(isOpenTo(`::ffff:${address}`, guard)).toBe(isOpenTo(address, guard))
      }),
    )
  })
})

describe('without TLS', () => {
  it('only loopback is spoken to, where it is allowed', async () => {
    await expect(ask('8.8.8.8', closed)).rejects.toThrow('8.8.8.8 is not a public address over TLS')
    await expect(ask('example.com', closed)).rejects.toBeInstanceOf(AddressRefused)
  })
})
