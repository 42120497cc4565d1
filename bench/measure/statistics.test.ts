import { expect, test } from 'vitest'
import { fitTrend, median, percentile } from './statistics.ts'

test('a percentile is a measured value', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(percentile(values, 0.99)).toBe(100)
  expect(percentile(values, 0)).toBe(1)
  expect(median([3, 1, 2])).toBe(2)
})

test('memory that rises until the end is growth, memory that rises at the beginning is not', () => {
  const leaking = fitTrend(samples(second => 100e6 + second * 50e3))
  const settling = fitTrend(samples(second => 100e6 + Math.min(second, 150) * 300e3 + (second % 7) * 1e6))
  expect(leaking.growthBytesPerMinute).toBeCloseTo(3e6)
  expect(leaking.growthShare).toBeGreaterThan(0.05)
  expect(settling.growthShare).toBeLessThan(0.05)
})

function samples(residentBytes: (second: number) => number) {
  return Array.from({ length: 600 }, (_, atSeconds) => ({
    atSeconds,
    residentBytes: residentBytes(atSeconds),
  }))
}
