import { expect, test } from 'vitest'
import { auditFilterOf } from './filter.ts'

test('the filter includes the first and the last day, as days of the reader', () => {
  const { since, until } = auditFilterOf({ from: '2026-10-31', to: '2026-10-31' })
  expect(since).toBe(new Date(2026, 9, 31).toISOString())
  expect(until).toBe(new Date(2026, 10, 1).toISOString())
})

test.each(['2026-02-30', '2026-13-01', '0000-01-01', 'yesterday', ''])(
  'the day %s does not exist, and filters nothing',
  from => {
    expect(auditFilterOf({ from }).since).toBeNull()
  },
)
