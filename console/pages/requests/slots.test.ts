import { expect, test } from 'vitest'
import { periodOf, shownTimes, slotOfTime, slotsOf } from './slots.ts'

const now = Date.parse('2026-11-27T10:17:00Z')
const page = { pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null } }
const requests = { nodes: [], ...page }

test('an hour has bars of five minutes, a day of an hour, and longer periods of a day', () => {
  expect(periodOf({ hours: '1' }, now)).toMatchObject({ isByDay: false, slotMs: 300_000 })
  expect(periodOf({ hours: '24' }, now)).toMatchObject({ isByDay: false, slotMs: 3_600_000 })
  expect(periodOf({ hours: '168' }, now)).toMatchObject({ isByDay: true })
  expect(periodOf({}, now)).toMatchObject({ isByDay: true })
})

test('each request is in the bar that narrows the list to it', () => {
  for (const hours of ['1', '24', '168'] as const) {
    const period = periodOf({ hours }, now)
    for (const time of ['2026-11-27T09:59:59.999Z', '2026-11-27T10:00:00.000Z']) {
      const { since, until } = shownTimes({ hours, slot: slotOfTime(time, period) }, period)
      expect(since && until && since <= time && time < until).toBe(true)
    }
  }
})

test('days without requests have a bar, and the first and last day are there', () => {
  const period = periodOf({ hours: '168' }, now)
  const days = { nodes: [{ day: '2026-11-25', requests: 7, failedRequests: 2 }] }
  const slots = slotsOf({ days, requests }, period)
  expect(slots).toHaveLength(8)
  expect(slots.at(0)).toEqual({ start: '2026-11-20', requests: 0, failed: 0 })
  expect(slots.find(({ requests: count }) => count > 0)).toEqual({
    start: '2026-11-25',
    requests: 7,
    failed: 2,
  })
  expect(slots.at(-1)?.start).toBe('2026-11-27')
})
