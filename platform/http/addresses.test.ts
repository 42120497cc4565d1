import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOpenAddress, openClientAddress } from './addresses.ts'

function aRequest(peer: string, forwardedFor?: string): IncomingMessage {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const request = new IncomingMessage(socket)
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor
  return request
}

const behind = openClientAddress(['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8'])

test.each([
  ['nobody in between', '203.0.113.7', undefined, '203.0.113.7'],
  ['a stranger writes the header', '203.0.113.7', '1.1.1.1', '203.0.113.7'],
  ['one proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['the client wrote the leftmost', '10.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['two proxies', '127.0.0.1', '1.1.1.1, 203.0.113.7, 10.2.3.4', '203.0.113.7'],
  ['proxies alone', '127.0.0.1', '10.9.9.9, 10.2.3.4', '10.9.9.9'],
  ['no header from a proxy', '10.0.0.1', undefined, '10.0.0.1'],
  ['an empty header', '10.0.0.1', ' , ', '10.0.0.1'],
  ['nonsense at the right', '10.0.0.1', '203.0.113.7, nonsense', '10.0.0.1'],
  ['nonsense at the left', '10.0.0.1', 'nonsense, 203.0.113.7', '203.0.113.7'],
  ['a port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['IPv4 over IPv6', '::ffff:10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
  ['IPv6 with brackets', 'fd00::1', '[2001:db8::1]:443', '2001:db8::1'],
])('%s', (_name, peer, header, expected) => {
  expect(behind(aRequest(peer, header))).toBe(expected)
})

test('without trusted proxies the header is never believed', () => {
  expect(openClientAddress([])(aRequest('127.0.0.1', '1.1.1.1'))).toBe('127.0.0.1')
})

describe('an address', () => {
  const guard = { allowLoopback: false }

  test.each([
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
  ])('%s is closed', address => expect(isOpenAddress(address, guard)).toBe(false))

  test.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001::5'])(
    '%s is open',
    address => expect(isOpenAddress(address, guard)).toBe(true),
  )

  test('loopback is open where that is allowed, other private addresses are not', () => {
    expect(isOpenAddress('127.0.0.53', { allowLoopback: true })).toBe(true)
    expect(isOpenAddress('10.0.0.1', { allowLoopback: true })).toBe(false)
  })

  test('an address of IPv4 is as open in the guise of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        expect(isOpenAddress(`::ffff:${address}`, guard)).toBe(isOpenAddress(address, guard))
      }),
    )
  })
})
