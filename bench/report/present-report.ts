import { type BenchReport, faultsOf, missesOf } from './bench-report.ts'
import { presentComparisons } from './present-comparisons.ts'
import { presentCpu } from './present-cpu.ts'
import { presentDeliveries } from './present-deliveries.ts'
import { presentGraph } from './present-graph.ts'
import { presentGrowth } from './present-growth.ts'
import { presentLatency } from './present-latency.ts'
import { presentMemory } from './present-memory.ts'
import { presentNeighbours } from './present-neighbour.ts'
import { presentOpenStreams } from './present-open-streams.ts'
import { presentOverload } from './present-overload.ts'
import { presentSoak } from './present-soak.ts'
import { presentTasks } from './present-tasks.ts'
import { presentThroughput } from './present-throughput.ts'

/** A run as a page to read: tables, then what was wrong and what was missed. */
export function presentReport(report: BenchReport): string {
  const { machine, rounds, lengths, soak } = report
  const title =
    `${machine.cores} cores of ${machine.cpu}, Node ${machine.node}, load average ${machine.loadAverage.toFixed(1)}` +
    (soak ? '' : `; medians of ${rounds} rounds of ${lengths.seconds} s, by turns`)
  const tables = soak ? [presentSoak(soak)] : tablesOf(report)
  return `${[title, ...tables, presentMemory(report.memory), conclude(report)].join('\n\n')}\n`
}

/** Those that have rows. */
function tablesOf(report: BenchReport): string[] {
  const { reports, comparisons, openStreams, overloads, growths, tasks, deliveries, graphs, neighbours } =
    report
  return [
    ...(reports.length > 0 ? [presentThroughput(reports), presentLatency(reports), presentCpu(reports)] : []),
    ...(comparisons.length > 0 ? [presentComparisons(comparisons)] : []),
    ...(openStreams.length > 0 ? [presentOpenStreams(openStreams)] : []),
    ...(overloads.length > 0 ? [presentOverload(overloads)] : []),
    ...growths.map(presentGrowth),
    ...(tasks.length > 0 ? [presentTasks(tasks)] : []),
    ...(deliveries.length > 0 ? [presentDeliveries(deliveries)] : []),
    ...graphs.map(presentGraph),
    ...(neighbours.length > 0 ? [presentNeighbours(neighbours)] : []),
  ]
}

function conclude(report: BenchReport): string {
  const faults = faultsOf(report)
  const misses = missesOf(report)
  const lines = [
    faults.length === 0 ? 'Every answer was right, and the books balance.' : 'WRONG:',
    ...faults.map(fault => `  ${fault}`),
    misses.length === 0 ? 'No target was missed.' : `Missed: ${misses.join(', ')}.`,
  ]
  return lines.join('\n')
}
