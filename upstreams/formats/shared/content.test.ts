import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64, isBase64 } from './content.ts'

test('what was encoded is decoded, with its padding or without', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), bytes => {
      const text = Buffer.from(bytes).toString('base64')
      expect(decodeBase64(text)).toEqual(Buffer.from(bytes))
      expect(decodeBase64(text.replace(/=+$/, ''))).toEqual(Buffer.from(bytes))
    }),
  )
})

test('anything else is no base64', () => {
  for (const text of [
    '',
    '=',
    '==',
    'A',
    'A=',
    'AAAAA',
    'AB===',
    'AB=C',
    'ab-_',
    'AAA A',
    'AAAA ',
    ' AAAA',
    'AAAé',
    '%41%41',
  ])
    expect(isBase64(text), text).toBe(false)
  const pattern = /^[A-Za-z0-9+/]+={0,2}$/
  const text = fc.string({ unit: fc.constantFrom(...'AZaz09+/=-_ \n%é'), maxLength: 12 })
  fc.assert(
    fc.property(text, words => {
      const digits = words.replace(/={1,2}$/, '').length
      expect(isBase64(words)).toBe(pattern.test(words) && digits > 1 && digits % 4 !== 1)
    }),
    { numRuns: 2_000 },
  )
})
