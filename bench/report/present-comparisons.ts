import type { ComparisonReport } from '../rounds/run-comparison.ts'
import { printTable } from './print-table.ts'

/** The edge's CPU on an answer, and its share of what it spends on one of the base. */
export function presentComparisons(reports: readonly ComparisonReport[]): string {
  const figure = (heading: string, cell: (report: ComparisonReport) => string) => ({
    heading,
    cell,
    isFigure: true,
  })
  return printTable(
    [
      { heading: "edge's CPU", cell: ({ name }) => name },
      { heading: '', cell: ({ says }) => says },
      figure('base, ms', ({ baseCpuMs }) => baseCpuMs.toFixed(3)),
      figure('this, ms', ({ cpuMs }) => cpuMs.toFixed(3)),
      figure('µs a chunk', ({ cpuMs, chunks }) => (chunks > 0 ? ((cpuMs / chunks) * 1000).toFixed(1) : '')),
      figure('ratio', ({ ratio }) => ratio.toFixed(2)),
      {
        heading: 'in rounds',
        cell: ({ lowestRatio, highestRatio }) => `${lowestRatio.toFixed(2)}–${highestRatio.toFixed(2)}`,
      },
      { heading: 'target', cell: ({ verdict }) => verdict?.target ?? '' },
      { heading: '', cell: ({ verdict }) => (verdict ? (verdict.isMet ? 'pass' : 'FAIL') : '') },
    ],
    reports,
  )
}
