import type { GrowthReport, GrowthStep } from '../rounds/run-growth.ts'
import { printTable } from './print-table.ts'

/** What requests cost by the number of edge processes and keys: CPU, since more processes do not make more cores. */
export function presentGrowth({ name, steps }: GrowthReport): string {
  const figure = (heading: string, read: (step: GrowthStep) => number | undefined, digits: number) => ({
    heading,
    cell: (step: GrowthStep) => (read(step) ?? Number.NaN).toFixed(digits),
    isFigure: true,
  })
  return printTable(
    [
      { heading: name, cell: ({ edges }) => `${edges} edge${edges === 1 ? '' : 's'}` },
      { heading: 'keys', cell: ({ keys }) => keys.toLocaleString('en-US'), isFigure: true },
      figure('requests/s', ({ perSecond }) => perSecond, 0),
      figure('p50 ms', ({ p50Ms }) => p50Ms, 1),
      ...['edge', 'postgres', 'redis'].map(of =>
        figure(`${of} CPU ms`, ({ cpuPerThousand }) => cpuPerThousand[of], 3),
      ),
    ],
    steps,
  )
}
