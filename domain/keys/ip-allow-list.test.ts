import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Problem } from '../../schema/errors.ts'
import { checkIpAllowList, compileIpAllowList } from './ip-allow-list.ts'

test('an address or a range allows what lies in it, and nothing else', () => {
  const allows = compileIpAllowList(['203.0.113.7', '10.1.2.0/23', '192.168.0.0/16'])
  for (const address of ['203.0.113.7', '10.1.2.0', '10.1.3.255', '192.168.255.1', '::ffff:10.1.2.9'])
    expect(allows(address), address).toBe(true)
  for (const address of [
    '203.0.113.8',
    '10.1.4.0',
    '10.1.1.255',
    '192.169.0.0',
    '::1',
    '2001:db8::1',
    '',
    'x',
  ])
    expect(allows(address), address).toBe(false)
})

test('an empty list allows everybody, 0.0.0.0/0 everybody with an IPv4 address', () => {
  expect(compileIpAllowList([])('2001:db8::1')).toBe(true)
  expect(compileIpAllowList(['0.0.0.0/0'])('255.255.255.255')).toBe(true)
  expect(compileIpAllowList(['0.0.0.0/0'])('2001:db8::1')).toBe(false)
})

test('a range takes exactly the addresses that share its leading bits', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const address = fc.tuple(byte, byte, byte, byte)
  fc.assert(
    fc.property(address, address, fc.integer({ min: 0, max: 32 }), (base, other, bits) => {
      const binary = (parts: number[]) => parts.map(part => part.toString(2).padStart(8, '0')).join('')
      const shares = binary(base).slice(0, bits) === binary(other).slice(0, bits)
      expect(compileIpAllowList([`${base.join('.')}/${bits}`])(other.join('.'))).toBe(shares)
    }),
  )
})

test('what is no IPv4 address or range is refused by its place in the list', () => {
  const wrong = [
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.4/33',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '::1',
    '1.2.3.4/-1',
    ' 1.2.3.4',
    '0x1.2.3.4',
  ]
  for (const entry of wrong) {
    expect(() => checkIpAllowList(['10.0.0.1', entry]), entry).toThrow(Problem)
  }
  expect(() => checkIpAllowList(Array(11).fill('10.0.0.1'))).toThrow(/at most 10/)
  expect(() => checkIpAllowList(Array(10).fill('10.0.0.0/8'))).not.toThrow()
})
