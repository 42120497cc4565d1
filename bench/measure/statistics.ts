/** Returns the value that this share of the values does not exceed; NaN for no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Returns the median of a figure over several rounds. */
export function medianOf<Round>(rounds: readonly Round[], figure: (round: Round) => number): number {
  return median(rounds.map(figure))
}

/** Returns the median and the 99th percentile of durations, as figures. */
export function latencies(durationsMs: readonly number[]): { 'p50 ms': number; 'p99 ms': number } {
  return { 'p50 ms': median(durationsMs), 'p99 ms': percentile(durationsMs, 0.99) }
}

/** A memory sample. */
export interface MemorySample {
  atSeconds: number
  residentBytes: number
}

/** The line through memory samples after the first third, in which a process reaches its size. */
export interface Trend {
  growthBytesPerMinute: number
  medianBytes: number
  /** Growth over the time that the line covers, as a share of the median. */
  growthShare: number
}

/** Fits a line to memory samples by least squares. */
export function fitTrend(samples: readonly MemorySample[]): Trend {
  const settled = samples.slice(Math.floor(samples.length / 3))
  const minutes = settled.map(({ atSeconds }) => atSeconds / 60)
  const bytes = settled.map(({ residentBytes }) => residentBytes)
  const [meanMinutes, meanBytes] = [mean(minutes), mean(bytes)]
  const covariance = mean(minutes.map((minute, at) => (minute - meanMinutes) * (bytes[at]! - meanBytes)))
  const growthBytesPerMinute = covariance / mean(minutes.map(minute => (minute - meanMinutes) ** 2))
  const medianBytes = median(bytes)
  const growthShare = (growthBytesPerMinute * (minutes.at(-1)! - minutes[0]!)) / medianBytes
  return { growthBytesPerMinute, medianBytes, growthShare }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
