import { type BenchReport, faultsOf, missesOf } from './bench-report.ts'
import { presentCpu } from './present-cpu.ts'
import { presentLatency } from './present-latency.ts'
import { presentMemory } from './present-memory.ts'
import { presentSoak } from './present-soak.ts'
import { presentThroughput } from './present-throughput.ts'

/** A run as a page to read: tables, then what was wrong and what was missed. */
export function presentReport(report: BenchReport): string {
  const { machine, rounds, lengths, reports, soak } = report
  const title =
    `${machine.cores} cores of ${machine.cpu}, Node ${machine.node}, load average ${machine.loadAverage.toFixed(1)}` +
    (soak
      ? ''
      : `; medians of ${rounds} rounds of ${lengths.seconds} s, a ${report.floor} floor and the edge by turns`)
  const tables = soak
    ? [presentSoak(soak)]
    : [presentThroughput(reports), presentLatency(reports), presentCpu(reports)]
  return `${[title, ...tables, presentMemory(report.memory), conclude(report)].join('\n\n')}\n`
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
