import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { wideningWindows, windowsOf } from './search-windows.ts'

const atOnce = 100

const anyDays = fc
  .uniqueArray(
    fc.record({ day: fc.nat(60), requests: fc.integer({ min: 1, max: 350 }), mayMatch: fc.boolean() }),
    { selector: ({ day }) => day, maxLength: 30 },
  )
  .map(days =>
    days
      .toSorted((one, other) => other.day - one.day)
      .map(({ day, ...rest }) => ({ startMs: day * dayMs, ...rest })),
  )

test('windows run from late to early without overlap, cover each day that may match, and have few requests each', () => {
  fc.assert(
    fc.property(anyDays, days => {
      const windows = windowsOf(days, atOnce)
      for (const [index, { since, until }] of windows.entries()) {
        expect(since).toBeLessThan(until)
        expect(until).toBeLessThanOrEqual(windows[index - 1]?.since ?? 61 * dayMs)
        const within = days.map(({ startMs, requests }) => {
          const overlapMs = Math.min(until, startMs + dayMs) - Math.max(since, startMs)
          return overlapMs > 0 ? (requests * overlapMs) / dayMs : 0
        })
        expect(within.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(atOnce + 0.01)
      }
      for (const { startMs, mayMatch } of days) {
        if (!mayMatch) continue
        const inside = windows.filter(({ since, until }) => since < startMs + dayMs && until > startMs)
        const covered = inside.reduce(
          (sum, { since, until }) => sum + Math.min(until, startMs + dayMs) - Math.max(since, startMs),
          0,
        )
        expect(covered).toBe(dayMs)
      }
    }),
  )
})

test('small days are searched together', () => {
  const days = [5, 3, 1].map(day => ({ startMs: day * dayMs, requests: 10, mayMatch: true }))
  expect(windowsOf(days, atOnce)).toEqual([{ since: dayMs, until: 6 * dayMs }])
})

test('a list is read by the day, then by the week, then whole, from its start to the bounds of its filter', () => {
  const nowMs = Date.UTC(2026, 10, 27)
  const days = (count: number) => nowMs + count * dayMs
  const down = { isDown: true, startMs: undefined, nowMs }
  const [early, late] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  expect(wideningWindows({}, down)).toEqual([
    { since: days(-1), until: late },
    { since: days(-8), until: days(-1) },
    { since: early, until: days(-8) },
  ])
  const filter = { since: new Date(days(-5)), until: new Date(days(-2)) }
  expect(wideningWindows(filter, down)).toEqual([
    { since: days(-3), until: days(-2) },
    { since: days(-5), until: days(-3) },
  ])
  expect(wideningWindows(filter, { isDown: false, startMs: days(-4), nowMs })).toEqual([
    { since: days(-5), until: days(-3) },
    { since: days(-3), until: days(-2) },
  ])
  expect(wideningWindows({}, { isDown: false, startMs: undefined, nowMs })[0]).toEqual({
    since: early,
    until: Date.UTC(2026, 8, 28),
  })
})
