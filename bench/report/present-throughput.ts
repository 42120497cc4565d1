import type { ScenarioReport } from '../rounds/run-scenario.ts'
import { printTable } from './print-table.ts'

/** Requests per second of floor and edge, their ratio with the range over single pairs of rounds, and the verdict. */
export function presentThroughput(reports: readonly ScenarioReport[]): string {
  return printTable(
    [
      { heading: 'requests/s', cell: ({ name }) => name },
      { heading: '', cell: ({ says }) => says },
      { heading: 'floor', cell: ({ floor }) => rate(floor.perSecond), isFigure: true },
      { heading: 'edge', cell: ({ other }) => rate(other.perSecond), isFigure: true },
      { heading: 'ratio', cell: ({ ratio }) => ratio.toFixed(2), isFigure: true },
      { heading: 'in rounds', cell: report => rangeOf(report) },
      { heading: 'target', cell: ({ verdict }) => verdict?.target ?? '' },
      { heading: '', cell: ({ verdict }) => (verdict ? (verdict.isMet ? 'pass' : 'FAIL') : '') },
    ],
    reports,
  )
}

function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US')
}

function rangeOf({ lowestRatio, highestRatio }: ScenarioReport): string {
  return `${lowestRatio.toFixed(2)}–${highestRatio.toFixed(2)}`
}
