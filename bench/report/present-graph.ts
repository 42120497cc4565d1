import type { GraphReport, GraphRow } from '../rounds/run-graph.ts'
import { printTable } from './print-table.ts'

/** The cost of the console's queries on each server, and the targets. */
export function presentGraph({ name, rows, verdict }: GraphReport): string {
  const figure = (heading: string, read: (row: GraphRow) => number, digits: number) => ({
    heading,
    cell: (row: GraphRow) => read(row).toFixed(digits),
    isFigure: true,
  })
  const table = printTable(
    [
      { heading: name, cell: ({ query }) => query },
      { heading: 'way', cell: ({ way }) => way },
      figure('requests/s', ({ perSecond }) => perSecond, 0),
      figure('p50 ms', ({ p50Ms }) => p50Ms, 1),
      figure('p99 ms', ({ p99Ms }) => p99Ms, 1),
      figure('CPU ms', ({ cpuMs }) => cpuMs, 2),
    ],
    rows,
  )
  return verdict ? `${table}\n  ${verdict.target}` : table
}
