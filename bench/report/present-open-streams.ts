import type { OpenStreamsReport } from '../rounds/run-open-streams.ts'
import { printTable } from './print-table.ts'

/** The edge's cost of an open stream: resident kilobytes, and CPU per chunk. */
export function presentOpenStreams(reports: readonly OpenStreamsReport[]): string {
  const figure = (heading: string, read: (report: OpenStreamsReport) => number, digits = 1) => ({
    heading,
    cell: (report: OpenStreamsReport) => read(report).toFixed(digits),
    isFigure: true,
  })
  return printTable(
    [
      { heading: 'open streams', cell: ({ name }) => name },
      { heading: '', cell: ({ says }) => says },
      figure('sockets', ({ sockets }) => sockets, 0),
      figure('kB each', ({ bytesEach }) => bytesEach / 1000),
      figure('in the heap', ({ liveBytesEach }) => liveBytesEach / 1000),
      figure('at first', ({ firstBytesEach }) => firstBytesEach / 1000),
      figure('µs a chunk', ({ cpuMicrosPerChunk }) => cpuMicrosPerChunk),
      { heading: 'target', cell: ({ verdict }) => verdict?.target ?? '' },
      { heading: '', cell: ({ verdict }) => (verdict ? (verdict.isMet ? 'pass' : 'FAIL') : '') },
    ],
    reports,
  )
}
