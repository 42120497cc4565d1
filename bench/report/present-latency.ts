import type { ScenarioReport } from '../rounds/run-scenario.ts'
import { printTable } from './print-table.ts'

/** Milliseconds until a response is complete, at the median and the 99th percentile, and the edge's share of them. */
export function presentLatency(reports: readonly ScenarioReport[]): string {
  const figure = (heading: string, read: (report: ScenarioReport) => number) => ({
    heading,
    cell: (report: ScenarioReport) => read(report).toFixed(1),
    isFigure: true,
  })
  return printTable(
    [
      { heading: 'milliseconds', cell: ({ name }) => name },
      figure('floor p50', ({ floor }) => floor.p50Ms),
      figure('edge p50', ({ other }) => other.p50Ms),
      figure('added', ({ addedP50Ms }) => addedP50Ms),
      figure('floor p99', ({ floor }) => floor.p99Ms),
      figure('edge p99', ({ other }) => other.p99Ms),
      figure('added', ({ addedP99Ms }) => addedP99Ms),
    ],
    reports,
  )
}
