import type { DeliveriesReport } from '../rounds/run-deliveries.ts'
import { printTable } from './print-table.ts'

/** The delay until clients are notified of results, and the rate at which results are stored. */
export function presentDeliveries(reports: readonly DeliveriesReport[]): string {
  const figure = (heading: string, read: (report: DeliveriesReport) => number, digits = 0) => ({
    heading,
    cell: (report: DeliveriesReport) => read(report).toFixed(digits),
    isFigure: true,
  })
  return printTable(
    [
      { heading: 'deliveries', cell: ({ name }) => name },
      { heading: '', cell: ({ says }) => says },
      figure('watcher ms', ({ watcherMs }) => watcherMs),
      figure('callback ms', ({ callbackMs }) => callbackMs),
      figure('stored MB/s', ({ storedBytesPerSecond }) => storedBytesPerSecond / 1e6, 1),
      figure('grown MB', ({ grownBytes }) => grownBytes / 1e6),
      { heading: 'target', cell: ({ verdict }) => verdict?.target ?? '' },
      { heading: '', cell: ({ verdict }) => (verdict ? (verdict.isMet ? 'pass' : 'FAIL') : '') },
    ],
    reports,
  )
}
