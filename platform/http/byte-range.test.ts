import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestedRange } from './byte-range.ts'

const file = { bytes: 1_000, etag: '"a"' }

test.each([
  ['bytes=0-99', { first: 0, last: 99 }],
  ['bytes=900-', { first: 900, last: 999 }],
  ['bytes=-100', { first: 900, last: 999 }],
  ['bytes=-5000', { first: 0, last: 999 }],
  ['bytes=0-5000', { first: 0, last: 999 }],
  ['bytes=999-999', { first: 999, last: 999 }],
  ['bytes=1000-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=0-1,5-6', 'whole'],
  ['bytes=9-1', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['items=0-1', 'whole'],
  ['bytes=99999999999999999999-', 'whole'],
])('%s is %o', (range, asked) => {
  expect(requestedRange({ range }, file)).toEqual(asked)
})

test('a range of another state of the file is the whole', () => {
  expect(requestedRange({ range: 'bytes=0-1', 'if-range': '"b"' }, file)).toBe('whole')
  expect(requestedRange({ range: 'bytes=0-1', 'if-range': '"a"' }, file)).toEqual({ first: 0, last: 1 })
})

test('whatever is asked, a range lies within the file', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 5_000 }), (text, a, b, bytes) => {
      for (const range of [text, `bytes=${a}-${b}`, `bytes=${a}-`, `bytes=-${b}`, `bytes=${text}-${b}`]) {
        const asked = requestedRange({ range }, { bytes, etag: '' })
        if (typeof asked === 'string') continue
        expect(asked.first).toBeGreaterThanOrEqual(0)
        expect(asked.last).toBeLessThan(bytes)
        expect(asked.first).toBeLessThanOrEqual(asked.last)
      }
    }),
  )
})
