import { niceness, type OverloadReport } from '../rounds/run-overload.ts'
import { printTable } from './print-table.ts'

/** The edge's throughput under overload, and the latency of its refusals. */
export function presentOverload(reports: readonly OverloadReport[]): string {
  const figure = (heading: string, read: (report: OverloadReport) => number, digits = 0) => ({
    heading,
    cell: (report: OverloadReport) => read(report).toFixed(digits),
    isFigure: true,
  })
  const table = printTable(
    [
      { heading: 'overload', cell: ({ name }) => name },
      { heading: '', cell: ({ says }) => says },
      figure('peak/s', ({ peakPerSecond }) => peakPerSecond),
      figure('asked/s', ({ offeredPerSecond }) => offeredPerSecond),
      figure('answered/s', ({ goodPerSecond }) => goodPerSecond),
      figure('of the peak', ({ goodput }) => goodput, 2),
      figure('p99 ms', ({ p99Ms }) => p99Ms),
      figure('refused/s', ({ refusedPerSecond }) => refusedPerSecond),
      figure('p50 ms', ({ refusedP50Ms }) => refusedP50Ms),
      figure('p99 ms', ({ refusedP99Ms }) => refusedP99Ms),
      figure('asked late p99 ms', ({ lateP99Ms }) => lateP99Ms),
      figure('health p99 ms', ({ healthP99Ms }) => healthP99Ms),
      figure('at the base', ({ baseHealthP99Ms }) => baseHealthP99Ms),
      { heading: 'target', cell: ({ verdict }) => verdict?.target ?? '' },
      { heading: '', cell: ({ verdict }) => (verdict ? (verdict.isMet ? 'pass' : 'FAIL') : '') },
    ],
    reports,
  )
  return `${table}\n  the load generator gives way to the others for these (nice ${niceness})`
}
