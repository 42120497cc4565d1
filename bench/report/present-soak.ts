import type { SoakReport } from '../rounds/run-soak.ts'
import { megabytes } from './present-memory.ts'

/** The edge's memory under a long load, in two lines. */
export function presentSoak(soak: SoakReport): string {
  const growth = (soak.growthBytesPerMinute / 1e6).toFixed(2)
  const curve = Array.from({ length: 11 }, (_, tenth) =>
    megabytes(
      soak.samples[Math.floor((tenth / 10) * (soak.samples.length - 1))]?.residentBytes ?? Number.NaN,
    ),
  )
  return [
    `  soak: ${soak.answers.toLocaleString('en-US')} answers in ${soak.minutes} minutes; the edge's memory at each tenth, in MB: ${curve.join(' ')}`,
    `  line after the first third: ${growth} MB a minute on ${megabytes(soak.medianBytes)} MB: ${soak.isSteady ? 'pass' : 'FAIL'}`,
  ].join('\n')
}
