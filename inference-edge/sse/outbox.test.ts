import { expect, test } from 'vitest'
import { openOutbox } from './outbox.ts'

test('frames are kept up to the limit, and the bytes that they occupy are counted until they are dropped', () => {
  let occupiedBytes = 0
  const outbox = openOutbox({
    maxKeptBytes: () => 10,
    onKept(bytes) {
      occupiedBytes += bytes
    },
  })
  outbox.add('data')
  expect(outbox.take('é')).toBe('dataé')
  expect(outbox.kept()?.toString()).toBe('dataé')
  expect(occupiedBytes).toBe(6)
  expect(outbox.take('too long')).toBe('too long')
  expect(outbox.take('more')).toBe('more')
  expect(outbox.kept()).toBeUndefined()
  expect(occupiedBytes).toBe(0)
})

test('without an idempotency key nothing is kept', () => {
  const outbox = openOutbox({ maxKeptBytes: () => 0, onKept: () => expect.unreachable() })
  expect(outbox.take('data')).toBe('data')
})
