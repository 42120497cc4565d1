import { expect, test } from 'vitest'
import { fitTrend } from '../rounds/watch-memory.ts'
import { fitLine } from './fit-line.ts'
import { median, percentile } from './percentile.ts'

test('a line through points on a line is that line', () => {
  const line = fitLine([0, 1, 2, 5].map(x => ({ x, y: 3 - 2 * x })))
  expect(line.slope).toBeCloseTo(-2)
  expect(line.intercept).toBeCloseTo(3)
})

test('a percentile is a value that was measured', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(percentile(values, 0.99)).toBe(100)
  expect(percentile(values, 0)).toBe(1)
  expect(median([3, 1, 2])).toBe(2)
})

test('memory that rises in the end is growth, memory that rose in the beginning is not', () => {
  const leaking = samples(second => 100e6 + second * 50e3)
  const settling = samples(second => 100e6 + Math.min(second, 150) * 300e3 + (second % 7) * 1e6)
  expect(fitTrend(leaking).isSteady).toBe(false)
  expect(fitTrend(leaking).growthBytesPerMinute).toBeCloseTo(3e6)
  expect(fitTrend(settling).isSteady).toBe(true)
})

function samples(residentBytes: (second: number) => number) {
  return Array.from({ length: 600 }, (_, second) => ({
    atSeconds: second,
    residentBytes: residentBytes(second),
  }))
}
