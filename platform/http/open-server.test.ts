import { parse } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { originFormOf, pathOf } from './open-server.ts'

test.each([
  ['/v1/models?a=b', '/v1/models?a=b', '/v1/models'],
  ['http://example.com/v1/models?a=b#c', '/v1/models?a=b#c', '/v1/models'],
  ['HTTPS://example.com:99999999', '/', '/'],
  ['http://example.com?a', '/?a', '/'],
  ['http://[', '/', '/'],
  ['http://[::1/v1', '/v1', '/v1'],
  ['//', '/', '/'],
  ['//example.com/v1', '/example.com/v1', '/example.com/v1'],
  ['http://a//%@b#', '/%@b#', '/%@b'],
  ['*', '*', '*'],
  ['example.com:443', '/example.com:443', '/example.com:443'],
  ['', '/', '/'],
])('%s is %s', (url, target, path) => {
  expect(originFormOf({ url })).toBe(target)
  expect(pathOf({ url })).toBe(path)
})

test('whatever is sent, the outcome is a path that every parser of addresses takes', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('/', '[', ']', ':', '@', '%', '#', '?', '\\', ' ', '\0', 'http://', 'a', 'é'), {
        size: '+1',
      })
      .map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(anything, url => {
      expect(originFormOf({ url })).toMatch(/^(\/|\*$)/)
      expect(typeof parse(originFormOf({ url })).pathname).toBe('string')
    }),
    { numRuns: 2_000 },
  )
})
