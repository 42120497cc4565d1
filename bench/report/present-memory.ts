import type { Memory } from '../measure/measure-memory.ts'
import { printTable } from './print-table.ts'

/** Memory of one process before the first round and after the last one. */
export interface MemoryReport {
  name: string
  before: Memory | undefined
  after: Memory | undefined
}

/** Resident megabytes by process, and the most that there ever were. */
export function presentMemory(reports: readonly MemoryReport[]): string {
  const figure = (heading: string, read: (report: MemoryReport) => number | undefined) => ({
    heading,
    cell: (report: MemoryReport) => megabytes(read(report) ?? Number.NaN),
    isFigure: true,
  })
  return printTable(
    [
      { heading: 'memory, MB', cell: ({ name }) => name },
      figure('before', ({ before }) => before?.residentBytes),
      figure('after', ({ after }) => after?.residentBytes),
      figure('peak', ({ after }) => after?.peakBytes),
    ],
    reports,
  )
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
