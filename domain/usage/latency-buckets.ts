/**
 * Latencies are counted in buckets whose limits grow by the same factor: four buckets for each doubling. The first one
 * ends at 8 ms, and the last one has no end. A percentile of the counts is therefore at most 19% away from the exact one,
 * above 8 ms.
 */
const firstLimitMs = 8
const bucketsPerDoubling = 4

/** Number of buckets. The last one begins at 35 minutes. */
export const bucketCount = 74

/** Returns the bucket of a duration in milliseconds, from 0. */
export function bucketOf(ms: number): number {
  if (!(ms > firstLimitMs)) return 0
  return Math.min(Math.ceil(Math.log2(ms / firstLimitMs) * bucketsPerDoubling), bucketCount - 1)
}

/** Returns the highest duration of a bucket, in milliseconds. */
export function limitOf(bucket: number): number {
  return firstLimitMs * 2 ** (bucket / bucketsPerDoubling)
}

/** Adds to the count of a bucket. A list has no buckets after the last counted one. */
export function addCount(counts: number[], bucket: number, by = 1): void {
  while (counts.length <= bucket) counts.push(0)
  counts[bucket] = (counts[bucket] ?? 0) + by
}

/**
 * Returns a percentile of counted durations in milliseconds: the duration that a `share` of them do not exceed. Within a
 * bucket, durations count as evenly distributed on a logarithmic scale. Returns null if nothing is counted.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(share * total))
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    if (before + count >= rank) return Math.round(durationIn(bucket, (rank - before - 0.5) / count))
    before += count
  }
  return Math.round(limitOf(counts.length - 1))
}

/** Returns the duration at a position between the limits of a bucket, from 0 to 1. */
function durationIn(bucket: number, position: number): number {
  if (bucket === 0) return firstLimitMs * position
  return limitOf(bucket - 1 + position)
}
