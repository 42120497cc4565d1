import { fitLine } from '../measure/fit-line.ts'
import { readMemory } from '../measure/measure-memory.ts'
import { median } from '../measure/percentile.ts'

export interface MemorySample {
  atSeconds: number
  residentBytes: number
}

/** The line through the samples after the first third, in which a process finds its size. */
export interface Trend {
  growthBytesPerMinute: number
  medianBytes: number
  /** The line does not rise by more than a few percent of the median. */
  isSteady: boolean
}

/** A line that rises by less than this share of the median over the time that it covers is level. */
const levelShare = 0.05

/** Samples a process's memory once a second until `stop`, which returns the samples. */
export function watchMemory(pid: number | undefined): { stop(): MemorySample[] } {
  if (pid === undefined) throw new Error('there is no process to watch')
  const startedAt = performance.now()
  const samples: MemorySample[] = []
  const timer = setInterval(() => {
    const atSeconds = (performance.now() - startedAt) / 1000
    samples.push({ atSeconds, residentBytes: readMemory(pid).residentBytes })
  }, 1000).unref()
  return {
    stop() {
      clearInterval(timer)
      return samples
    },
  }
}

/** Fits the line. Throws for fewer than three samples. */
export function fitTrend(samples: readonly MemorySample[]): Trend {
  const settled = samples.slice(Math.floor(samples.length / 3))
  const points = settled.map(({ atSeconds, residentBytes }) => ({ x: atSeconds / 60, y: residentBytes }))
  const growthBytesPerMinute = fitLine(points).slope
  const medianBytes = median(points.map(({ y }) => y))
  const minutes = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)
  return {
    growthBytesPerMinute,
    medianBytes,
    isSteady: growthBytesPerMinute * minutes <= medianBytes * levelShare,
  }
}
