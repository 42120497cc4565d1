import type { ScenarioReport } from '../rounds/run-scenario.ts'
import { printTable } from './print-table.ts'

/** CPU seconds per 1,000 requests by process: the floor in its rounds, all others in the edge's. */
export function presentCpu(reports: readonly ScenarioReport[]): string {
  const figure = (heading: string, read: (report: ScenarioReport) => number | undefined) => ({
    heading,
    cell: (report: ScenarioReport) => (read(report) ?? Number.NaN).toFixed(3),
    isFigure: true,
  })
  const others = ['edge', 'postgres', 'redis', 'upstream', 'load']
  return printTable(
    [
      { heading: 'CPU s / 1,000', cell: ({ name }) => name },
      figure('floor', ({ floor }) => floor.cpuPerThousand.floor),
      ...others.map(name => figure(name, ({ other }) => other.cpuPerThousand[name])),
    ],
    reports,
  )
}
