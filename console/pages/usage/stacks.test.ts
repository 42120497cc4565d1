import { expect, test } from 'vitest'
import { stacksOf } from './stacks.ts'

const measureOf = ({ spent }: { day: string; spent: number }) => spent

test('a day has the values of its groups and the rest of its total', () => {
  const { stacks, hasRest } = stacksOf({
    days: ['2026-11-01', '2026-11-02', '2026-11-03'],
    totals: [
      { day: '2026-11-01', spent: 10 },
      { day: '2026-11-03', spent: 0.3 },
    ],
    parts: [
      [
        { day: '2026-11-01', spent: 6 },
        { day: '2026-11-03', spent: 0.1 },
      ],
      [{ day: '2026-11-03', spent: 0.2 }],
    ],
    measureOf,
  })
  expect(stacks.map(({ values }) => values)).toEqual([
    [6, 0, 4],
    [0, 0, 0],
    [0.1, 0.2, 0],
  ])
  expect(hasRest).toBe(true)
})

test('groups that make up the total leave no rest, whatever floats lose', () => {
  const parts = [0.1, 0.2, 0.3].map(spent => [{ day: '2026-11-01', spent }])
  const totals = [{ day: '2026-11-01', spent: 0.6000000000000001 }]
  expect(stacksOf({ days: ['2026-11-01'], totals, parts, measureOf }).hasRest).toBe(false)
})
