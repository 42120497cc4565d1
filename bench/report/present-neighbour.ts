import type { NeighbourReport } from '../rounds/run-neighbour.ts'
import { printTable } from './print-table.ts'

/** What each attack did to a neighbour on the same process. */
export function presentNeighbours(reports: readonly NeighbourReport[]): string {
  const figure = (heading: string, read: (report: NeighbourReport) => number) => ({
    heading,
    cell: (report: NeighbourReport) => read(report).toFixed(0),
    isFigure: true,
  })
  return printTable(
    [
      { heading: 'neighbour of', cell: ({ name }) => name.replace('neighbour-', '') },
      { heading: '', cell: ({ says }) => says },
      figure('alone p50 ms', ({ aloneP50Ms }) => aloneP50Ms),
      figure('p99 ms', ({ aloneP99Ms }) => aloneP99Ms),
      figure('attacked p50 ms', ({ p50Ms }) => p50Ms),
      figure('p99 ms', ({ p99Ms }) => p99Ms),
      figure('grew MB', ({ grownBytes }) => grownBytes / (1 << 20)),
      {
        heading: 'attacker got',
        cell: ({ attacker }) =>
          Object.entries(attacker)
            .map(([status, count]) => `${count}×${status}`)
            .join(' '),
      },
      { heading: 'target', cell: ({ verdict }) => verdict.target },
      { heading: '', cell: ({ verdict }) => (verdict.isMet ? 'pass' : 'FAIL') },
    ],
    reports,
  )
}
