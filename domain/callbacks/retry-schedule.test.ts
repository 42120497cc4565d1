import { expect, test } from 'vitest'
import { outcomeOf, readRetryAfter, retryDelaysMs } from './retry-schedule.ts'

const second = 1000
const hour = 3_600_000

test('any 2xx is success, 410 stops, and everything else is attempted seven times in about a day', () => {
  for (const status of [200, 202, 204, 299]) expect(outcomeOf({ status }, 1)).toEqual({ state: 'delivered' })
  expect(outcomeOf({ status: 410 }, 1)).toEqual({ state: 'gone' })
  for (const result of [{ status: 500 }, { status: 302 }, { status: 404 }, { error: 'no answer' }]) {
    const waits = [1, 2, 3, 4, 5, 6].map(step => outcomeOf(result, step))
    expect(waits).toEqual(
      [5 * second, 300 * second, hour / 2, 2 * hour, 5 * hour, 10 * hour].map(waitMs => ({
        state: 'pending',
        waitMs,
      })),
    )
    expect(outcomeOf(result, 7)).toEqual({ state: 'failed' })
  }
  expect(retryDelaysMs.reduce((sum, delay) => sum + delay)).toBeLessThan(24 * hour)
})

test('Retry-After delays the next attempt by up to twelve hours and never makes it earlier', () => {
  const waitOf = (retryAfterMs: number) => outcomeOf({ status: 503, retryAfterMs }, 1)
  expect(waitOf(1)).toEqual({ state: 'pending', waitMs: 5 * second })
  expect(waitOf(hour)).toEqual({ state: 'pending', waitMs: hour })
  expect(waitOf(1000 * hour)).toEqual({ state: 'pending', waitMs: 12 * hour })
})

test('Retry-After is seconds or a date; other values are ignored', () => {
  const now = Date.parse('2026-11-22T10:00:00Z')
  expect(readRetryAfter('120', now)).toBe(120_000)
  expect(readRetryAfter('Sun, 22 Nov 2026 10:01:00 GMT', now)).toBe(60_000)
  expect(readRetryAfter('Sun, 22 Nov 2026 09:00:00 GMT', now)).toBe(0)
  for (const text of ['', '-1', '1.5', 'soon', '9'.repeat(30), 'Sun, nonsense', undefined])
    expect(readRetryAfter(text, now), text).toBeUndefined()
})
