import type { TasksReport } from '../rounds/run-tasks.ts'
import { printTable } from './print-table.ts'

/** How fast tasks are submitted and carried to their end, and the CPU that carrying takes. */
export function presentTasks(reports: readonly TasksReport[]): string {
  const figure = (heading: string, read: (report: TasksReport) => number | undefined, digits: number) => ({
    heading,
    cell: (report: TasksReport) => (read(report) ?? Number.NaN).toFixed(digits),
    isFigure: true,
  })
  return printTable(
    [
      { heading: 'tasks', cell: ({ name }) => name },
      figure('submits/s', ({ submitsPerSecond }) => submitsPerSecond, 0),
      figure('p50 ms', ({ submitP50Ms }) => submitP50Ms, 1),
      figure('p99 ms', ({ submitP99Ms }) => submitP99Ms, 1),
      figure('carried', ({ tasks }) => tasks, 0),
      figure('finished/s', ({ finishedPerSecond }) => finishedPerSecond, 0),
      figure('worker CPU ms', ({ cpuPerThousand }) => cpuPerThousand.worker, 2),
      figure('postgres CPU ms', ({ cpuPerThousand }) => cpuPerThousand.postgres, 2),
      { heading: 'target', cell: ({ verdict }) => verdict?.target ?? '' },
    ],
    reports,
  )
}
