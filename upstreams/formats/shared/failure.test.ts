import { expect, test } from 'vitest'
import { readRetryAfter } from './failure.ts'

const now = Date.parse('2026-11-20T10:00:00Z')

test.each<[string, Record<string, string>, number | undefined]>([
  ['seconds', { 'retry-after': '7' }, 7],
  ['part of a second', { 'retry-after': '2.5' }, 3],
  ['milliseconds, which are more exact', { 'retry-after-ms': '1200', 'retry-after': '9' }, 2],
  ['a date', { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, 30],
  [
    "a date by the vendor's own clock",
    { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date: 'Fri, 20 Nov 2026 10:00:20 GMT' },
    10,
  ],
  [
    'a date, where the vendor has no sensible clock',
    { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date: 'soon' },
    30,
  ],
  ['now', { 'retry-after': '0' }, undefined],
  ['a date that is past', { 'retry-after': 'Fri, 20 Nov 2026 09:59:00 GMT' }, undefined],
  ['text', { 'retry-after': 'soon' }, undefined],
  ['less than nothing', { 'retry-after': '-3' }, undefined],
  ['a number that is none', { 'retry-after': 'Infinity' }, undefined],
  ['nothing', {}, undefined],
])('when to come back: %s', (_, headers, seconds) => {
  expect(readRetryAfter(headers, now)).toBe(seconds)
})
