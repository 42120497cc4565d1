import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openClientAddress } from './client-address.ts'

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
