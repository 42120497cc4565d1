import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketCount, bucketOf, limitOf, percentileOf } from './latency-buckets.ts'

const duration = fc.oneof(fc.nat(10), fc.nat(5_000), fc.nat(600_000))

function countsOf(durations: readonly number[]): number[] {
  const counts: number[] = []
  for (const ms of durations) {
    const bucket = bucketOf(ms)
    while (counts.length <= bucket) counts.push(0)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return counts
}

test('a duration lies between the limits of its bucket', () => {
  fc.assert(
    fc.property(duration, ms => {
      const bucket = bucketOf(ms)
      expect(ms).toBeLessThanOrEqual(limitOf(bucket) + 1e-6)
      if (bucket > 0) expect(ms).toBeGreaterThan(limitOf(bucket - 1) - 1e-6)
    }),
  )
})

test('every number has a bucket', () => {
  for (const ms of [-1, Number.NaN, 0]) expect(bucketOf(ms)).toBe(0)
  for (const ms of [1e12, Number.POSITIVE_INFINITY]) expect(bucketOf(ms)).toBe(bucketCount - 1)
})

test('a percentile of buckets is within 19% of the exact one, or within 8 ms', () => {
  fc.assert(
    fc.property(
      fc.array(duration, { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.95, 0.99, 1),
      (durations, share) => {
        const sorted = durations.toSorted((one, other) => one - other)
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0
        const estimate = percentileOf(countsOf(durations), share) ?? Number.NaN
        expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(Math.max(8, exact * 0.19 + 1))
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a higher share never has a lower percentile', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: bucketCount }), counts => {
      const [median, high, highest] = [0.5, 0.95, 1].map(share => percentileOf(counts, share) ?? 0)
      expect(median).toBeLessThanOrEqual(high ?? 0)
      expect(high).toBeLessThanOrEqual(highest ?? 0)
    }),
  )
})

test('nothing has no percentile', () => {
  expect(percentileOf([], 0.5)).toBeNull()
  expect(percentileOf([0, 0], 0.95)).toBeNull()
})
