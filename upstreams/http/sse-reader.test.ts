import { expect, test } from 'vitest'
import { openSseReader } from './sse-reader.ts'

/** Pushes the same bytes until the reader refuses; answers how many pushes that took. */
function pushUntilRefused(part: Buffer, limitCharacters: number): number {
  const reader = openSseReader(limitCharacters)
  for (let pushes = 1; pushes <= 1_000_000; pushes++) {
    try {
      reader.push(part)
    } catch (error) {
      expect(error).toMatchObject({ kind: 'broken', message: 'an event of the answer is too long' })
      return pushes
    }
  }
  throw new Error('it was never refused')
}

test.each([
  ['a line without an end', Buffer.from('data: aaaaaaaaaaaaaaaaaaaaaaaa')],
  ['such a line byte by byte', Buffer.from('d')],
  ['an event without an end', Buffer.from('data: aaaaaaaaaaaaaaaaaaaaaa\n')],
  ['a name without an end', Buffer.from('event')],
])('%s is refused at its limit', (_, part) => {
  const first = part.length < 6 ? Buffer.from('data:') : Buffer.alloc(0)
  const reader = openSseReader(1_000)
  reader.push(first)
  let pushes = 0
  expect(() => {
    for (; pushes < 10_000; pushes++) reader.push(part)
  }).toThrow('an event of the answer is too long')
  expect(pushes * part.length).toBeLessThan(1_500)
})

test('events shorter than the limit go on for ever', () => {
  expect(() => pushUntilRefused(Buffer.from('data: 123456789\n\n'), 20)).toThrow('it was never refused')
})

test('lines that mean nothing are not kept', () => {
  expect(() => pushUntilRefused(Buffer.from(': comment\nx'.repeat(10)), 20)).toThrow('it was never refused')
})
